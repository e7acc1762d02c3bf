<!DOCTYPE html>
<?php
namespace App\Models;

use App\Base;

/** A user. */
#[Entity(table: 'users')]
#[Cached]
final class User extends Base implements Named
{
    use Dates, Names { names as protected; }

    /** How many. */
    public const SIZE = 1, MORE = 2;
    public $name = 'x', $email;
    private readonly ?int $age;

    public function __construct(private int $id)
    {
        $local = 1;
    }

    // Its name.
    #[Pure]
    public static function name(int $x): ?string { return <<<TEXT
    function none() {}
    TEXT; }

    abstract protected function later();
}

interface Named { public function named(); }
trait Dates { function date() {} }
enum Suit: string
{
    case Hearts = 'H';
    case Spades;
    const WILD = self::Spades;
    public function label(): string { return 'x'; }
}
?>
<p>function none() {}</p>
<?php
const TOP = 3;

if (!function_exists('helper')) {
    /** Helps. */
    function helper() { ?> <b>bold</b> <?php }
}

function outer() {
    function inner() {}
    $f = function () { return 1; };
}
