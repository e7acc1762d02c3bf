<?php
namespace App { function f() {} }
namespace App\Models { class D {} }
namespace { function g() {} }

return new class extends Migration {
    public function up(): void {}
};
