"""Limits of the protocol, as proto/WIRE.md names them."""

FRAME_HEADER = 4
FRAME_BEFORE_HELLO = 64 * 1024
FRAME = 16 * 1024 * 1024
DEPTH = 32
COUNT = 100_000
VALUES = 1_000_000
NAME = 256
ID = 2**64 - 1
