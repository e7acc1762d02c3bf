__all__ = ["a"]
a = 1
a = 2; b = 3
MAX_SIZE: int = 10
unset: str
c, (d, e), *f = g()
[h, i] = 1, 2
a.b = 1
a[0] = 1
a += 1
type Point = tuple[float, float]
type Pair[T] = tuple[T, T]
first = second = third = []
if (walrus := 1):
    pass
lam = lambda x: x  # a function still
long = """
text
"""
