TEXT = <<~EOS.freeze
  def not_one
  end
EOS
BOTH = [<<~A, <<~B]
  a
A
  b
B
WIDTH, HEIGHT = 1, 2
class Holder
  HELP = <<-HELP # said
    class None; end
  HELP

  def help = <<~EOS
    help
  EOS

  AFTER = 1
end
LATE = 1 unless defined?(LATE)
