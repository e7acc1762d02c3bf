"""Checks that a reply has the type that this package declares for it. Unknown fields are ignored."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Dict, Type, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from .errors import ProtocolError

T = TypeVar("T")


def conforming(reply: Dict[str, Any], shape: Type[T]) -> T:
    """Returns the body of a reply as its type. Raises `ProtocolError` that names the first field with another type."""
    reply = {name: value for name, value in reply.items() if name not in ("id", "kind")}
    wrong = _wrong(reply, shape, "the reply")
    if wrong is not None:
        raise ProtocolError(f"the daemon sent an invalid reply: {wrong}")
    return cast(T, reply)


def _wrong(value: object, shape: Any, name: str) -> Union[str, None]:
    """Returns a sentence about the first part that does not conform, or `None`."""
    if shape is Any:
        return None
    origin = get_origin(shape)
    if origin is Union:
        fits = any(_wrong(value, one, name) is None for one in get_args(shape))
        return None if fits else f"{name} has the wrong type"
    if origin is list:
        return _wrong_list(value, get_args(shape)[0], name)
    if origin is dict:
        return _wrong_values(value, get_args(shape)[1], name)
    if isinstance(shape, type) and hasattr(shape, "__required_keys__"):
        return _wrong_map(value, shape, name)
    # A bool is an int in Python, but not in the protocol.
    fits = type(value) is shape or (shape is float and type(value) is int)
    return None if fits else f"{name} is not {shape.__name__}"


def _wrong_list(value: object, shape: Any, name: str) -> Union[str, None]:
    if not isinstance(value, list):
        return f"{name} is not a list"
    return next(filter(None, (_wrong(one, shape, name) for one in value)), None)


def _wrong_values(value: object, shape: Any, name: str) -> Union[str, None]:
    if not isinstance(value, dict):
        return f"{name} is not a map"
    return next(filter(None, (_wrong(one, shape, f"`{key}` of {name}") for key, one in value.items())), None)


def _wrong_map(value: object, shape: Any, name: str) -> Union[str, None]:
    if not isinstance(value, dict):
        return f"{name} is not a map"
    for missing in shape.__required_keys__ - value.keys():
        return f"{name} lacks `{missing}`"
    hints = _hints(shape)
    wrongs = (_wrong(value[key], hints[key], f"`{key}`") for key in hints if key in value)
    return next(filter(None, wrongs), None)


@lru_cache(maxsize=None)
def _hints(shape: Any) -> Dict[str, Any]:
    return get_type_hints(shape)
