# frozen_string_literal: true

# Keeps things.
class Store < Base # not the body
  # How many.
  SIZE = 16
  attr_reader :items

  def initialize(items) = @items = items

  # By number.
  def get(at, or: nil)
    # first of all
    items[at]
  end

  def one; 1; end

  def empty
  end

  def careful # takes care
    risky
  rescue Error => e
    nil
  ensure
    close
  end

  private def hidden
    1
  end

  def ==(other)
    true
  end

  def [](at) items[at] end

  def name=(name)
    @name = name
  end
end
