#!/usr/bin/env python3
# -*- coding: utf-8 -*-
"""Of the module."""

import os  # of the import

# Of nothing.

# Of f.
# Also of f.
@first
@second(
    1,
)
# between
async def f(a, b=lambda: 1):  # noqa
    # leads the body
    """Doc."""
    return a
    # ends the body


def g(): return 1  # behind g
def h():
    pass
# of C, at its indentation
class C(Base, metaclass=M):
    """Doc."""

    # of x
    x: int = 1  # behind x
    y = z = None
    KINDS = (
        "a",
    )

    @property
    def p(self):
        return 1

    @p.setter
    def p(self, value): pass

    def __init__(self):
        self.q = 1
        local = 2
# a line that was put out of use
    @staticmethod
    def s():
        '''One line only.'''

    class Inner:
        def m(self): ...
    # ends the class

if TYPE_CHECKING:
    from x import Y
    CONSTANT = 1
elif other:
    def under_elif(): pass
else:
    def under_else():
        pass
try:
    import json
except ImportError:
    json = None
for i in range(3):
    looped = i
