"""Encodes and decodes frames. Checks the bytes of a received frame before anything is built from them."""

from __future__ import annotations

import struct
from typing import Any, Dict, List, Optional, Set, Tuple, cast

import msgpack  # type: ignore[import-untyped, import-not-found, unused-ignore]

from . import _limits as limits
from .errors import ProtocolError, RefusedError

Message = Dict[str, Any]


class InvalidMessage(ValueError):
    """Bytes that are not a message within the limits."""

    code = "malformed"


class LargeMessage(InvalidMessage):
    """A message over one of the limits."""

    code = "too_large"


# The lengths of the numbers that follow the marker of a value: 8, 16 or 32 bits.
_WIDTHS = {0: 1, 1: 2, 2: 4}
# The sizes of float 32 and 64, uint 8 to 64 and int 8 to 64, from marker 0xca on.
_SCALARS = (4, 8, 1, 2, 4, 8, 1, 2, 4, 8)


def encode(message: Message, limit: int = limits.FRAME) -> bytes:
    """Returns the message as a frame. Raises `RefusedError` with the code that the daemon would answer."""
    try:
        body = cast(bytes, msgpack.packb(message, use_bin_type=True))
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise RefusedError({"code": "malformed", "message": f"the request cannot be encoded: {error}"}) from error
    if len(body) > limit:
        text = f"the request has {len(body)} bytes, and a frame at most {limit}; send less at once"
        raise RefusedError({"code": "too_large", "message": text, "limit": limit})
    try:
        # The daemon would close the connection, on which other requests may wait.
        check(body)
    except InvalidMessage as error:
        raise RefusedError({"code": error.code, "message": f"the request is not valid: {error}"}) from error
    return struct.pack(">I", len(body)) + body


def decode(body: bytes) -> Message:
    """Returns the message of a frame without its length. Raises `ProtocolError` if it is not exactly one."""
    try:
        check(body)
        message = msgpack.unpackb(body, raw=False, strict_map_key=True)
    except (ValueError, msgpack.UnpackException) as error:
        raise ProtocolError(f"the daemon sent an invalid message: {error}") from error
    number, kind = message.get("id"), message.get("kind")
    if type(number) is not int or not 0 <= number <= limits.ID:
        raise ProtocolError("the daemon sent a message without a valid `id`")
    if type(kind) is not str or len(kind.encode("utf-8")) > limits.NAME:
        raise ProtocolError("the daemon sent a message without a valid `kind`")
    return cast(Message, message)


def check(body: bytes) -> None:
    """Checks that the bytes are one map within the limits, with unique keys of text, and that nothing follows it."""
    opened: List[Tuple[int, bool]] = []
    keys: Set[bytes] = set()
    at, values = 0, 0
    while True:
        at, size, is_map, text = _value(body, at)
        values += 1
        if values > limits.VALUES:
            raise LargeMessage(f"it has more than {limits.VALUES} values")
        if values == 1 and not is_map:
            raise InvalidMessage("it is not a map")
        if opened:
            left, within_map = opened[-1]
            if within_map and left % 2 == 0:
                _key(text, keys, len(opened) == 1)
            opened[-1] = (left - 1, within_map)
        if size is not None:
            if len(opened) >= limits.DEPTH:
                raise LargeMessage(f"it has more than {limits.DEPTH} levels")
            opened.append((size, is_map))
        while opened and opened[-1][0] == 0:
            opened.pop()
        if not opened:
            break
    if at != len(body):
        raise InvalidMessage(f"{len(body) - at} bytes follow it")


def _key(text: Optional[bytes], keys: Set[bytes], at_top: bool) -> None:
    """Checks a key of a map. Keys of the message itself must be unique."""
    if text is None:
        raise InvalidMessage("a key is not text")
    if at_top:
        if text in keys:
            raise InvalidMessage("a field occurs twice")
        keys.add(text)


def _value(body: bytes, at: int) -> Tuple[int, Optional[int], bool, Optional[bytes]]:
    """Reads a value or the header of a list or map.

    Returns the position behind it, the number of values in a list or map, true for a map, and the bytes of a text.
    """
    marker = _bytes(body, at, 1)[0]
    at += 1
    if marker <= 0x7F or marker >= 0xE0 or marker in (0xC0, 0xC2, 0xC3):
        return at, None, False, None
    if marker <= 0x8F:
        return at, 2 * (marker & 0x0F), True, None
    if marker <= 0x9F:
        return at, marker & 0x0F, False, None
    if marker <= 0xBF:
        text = _bytes(body, at, marker & 0x1F)
        return at + len(text), None, False, text
    if 0xC4 <= marker <= 0xC6:
        at, size = _number(body, at, _WIDTHS[marker - 0xC4])
        return at + len(_bytes(body, at, size)), None, False, None
    if 0xCA <= marker <= 0xD3:
        return at + len(_bytes(body, at, _SCALARS[marker - 0xCA])), None, False, None
    if 0xD9 <= marker <= 0xDB:
        at, size = _number(body, at, _WIDTHS[marker - 0xD9])
        text = _bytes(body, at, size)
        return at + size, None, False, text
    if marker >= 0xDC:
        at, size = _number(body, at, 2 if marker in (0xDC, 0xDE) else 4)
        if size > limits.COUNT:
            raise LargeMessage(f"a list or map has more than {limits.COUNT} elements")
        is_map = marker >= 0xDE
        return at, 2 * size if is_map else size, is_map, None
    raise InvalidMessage(f"a value has an unknown type (0x{marker:02x})")


def _number(body: bytes, at: int, width: int) -> Tuple[int, int]:
    return at + width, int.from_bytes(_bytes(body, at, width), "big")


def _bytes(body: bytes, at: int, size: int) -> bytes:
    if len(body) - at < size:
        raise InvalidMessage("it ends too early")
    return body[at : at + size]


class FrameBuffer:
    """The received bytes of a connection that are not yet taken as messages."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self.limit = limits.FRAME_BEFORE_HELLO

    def add(self, received: bytes) -> None:
        """Appends received bytes."""
        self._bytes += received

    def next(self) -> Optional[Message]:
        """Takes the next message, or returns `None` if it is not complete. Refuses a long frame by its length."""
        if len(self._bytes) < limits.FRAME_HEADER:
            return None
        length = int.from_bytes(self._bytes[: limits.FRAME_HEADER], "big")
        if length > self.limit:
            raise ProtocolError(f"the daemon announced a frame of {length} bytes; the limit is {self.limit}")
        end = limits.FRAME_HEADER + length
        if len(self._bytes) < end:
            return None
        body = bytes(self._bytes[limits.FRAME_HEADER : end])
        del self._bytes[:end]
        return decode(body)
