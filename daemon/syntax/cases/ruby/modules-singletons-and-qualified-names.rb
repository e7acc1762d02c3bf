module Shop
  VERSION = "1"
  @@count = 0

  class Data::Store
    def self.open(path)
      new
    end

    class << self
      # Made so.
      def build
        1
      end
    end

    def Store.other; end

    Item = Struct.new(:name) do
      def to_s
        name
      end
    end
  end
end

Shop::Extra = 1
$loud = true

def top
  <<~TEXT
    def not_one
    end
  TEXT
end

describe "it" do
  def helper
    2
  end
end

=begin
Not about the next.
=end

class Last; end
__END__
def data
end
