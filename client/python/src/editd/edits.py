"""The types of file entries and edits. daemon/docs/edit-language.md describes the meaning of each field."""

from __future__ import annotations

from typing import List, Literal, Sequence, Tuple, TypedDict, Union

# A path is text if it is UTF-8, otherwise bytes.
WirePath = Union[str, bytes]
Match = Literal["exact", "eol", "trailing", "indent", "numbered", "typographic", "edge", "fuzzy"]
Eol = Literal["literal", "file"]


class LinesWithin(TypedDict):
    """Limits a search to these lines, first and last."""

    lines: Union[Tuple[int, int], List[int]]


class SymbolWithin(TypedDict):
    """Limits a search to a definition, by its name path."""

    symbol: str


class Position(TypedDict):
    """A place as a language server counts: from 0, columns in UTF-16 code units."""

    line: int
    column: int


class PositionWithin(TypedDict):
    """Limits a search to the definition at a position."""

    position: Position


Within = Union[LinesWithin, SymbolWithin, PositionWithin]


class AtLine(TypedDict):
    """A place before a line, from 1."""

    line: int


class Before(TypedDict):
    """A place before a quoted text."""

    before: str


class After(TypedDict):
    """A place after a quoted text."""

    after: str


class Reindent(TypedDict, total=False):
    """Prefixes to remove from and to add to each new line."""

    strip: str
    add: str


class _Searching(TypedDict, total=False):
    near: int
    window: int
    match: Match
    threshold: float
    whole_lines: bool
    eol: Eol


class _Pasting(TypedDict, total=False):
    from_clipboard: str
    reindent: Reindent


class _ReplaceFields(_Searching, _Pasting, total=False):
    within: Within
    all: bool
    expect: int
    to_clipboard: str


class Replace(_ReplaceFields):
    """Replaces a quoted text at its only place, or with `all` at every place."""

    op: Literal["replace"]
    old: str
    new: str


class _InsertFields(_Searching, _Pasting, total=False):
    own_line: bool


class Insert(_InsertFields):
    """Adds text at the start, the end or a line, or before or after a quoted text."""

    op: Literal["insert"]
    at: Union[Literal["start", "end"], AtLine, Before, After]
    text: str


class _WriteFields(_Pasting, total=False):
    eol: Eol


class Write(_WriteFields):
    """Writes the whole file; makes it and its folders if it does not exist."""

    op: Literal["write"]
    text: str


class _LinesFields(_Pasting, total=False):
    eol: Eol
    to_clipboard: str


class Lines(_LinesFields):
    """Replaces lines by number."""

    op: Literal["lines"]
    start: int
    end: int
    text: str


class _SubstituteFields(TypedDict, total=False):
    regex: bool
    flags: str
    within: Within
    count: int
    expect: int
    eol: Eol


class Substitute(_SubstituteFields):
    """Replaces every occurrence of a text or regular expression."""

    op: Literal["substitute"]
    pattern: str
    replacement: str


class _SymbolFields(_Pasting, total=False):
    name: str
    within: Union[SymbolWithin, PositionWithin]
    text: str
    eol: Eol
    to_clipboard: str


class Symbol(_SymbolFields):
    """Edits one definition."""

    op: Literal["symbol"]
    action: Literal["replace_body", "replace", "insert_before", "insert_after", "delete"]


class _ChunkFields(TypedDict, total=False):
    before: str
    after: str
    within: Within


class Chunk(_ChunkFields):
    """Replaces whole lines between quoted context lines."""

    op: Literal["chunk"]
    old: str
    new: str


class _HunkFields(TypedDict, total=False):
    at: Union[Literal["end"], AtLine]
    before: str
    all: bool
    in_order: bool
    near: int
    window: int
    match: Match
    threshold: float
    eol: Eol


class Hunk(_HunkFields):
    """Applies a hunk of a diff."""

    op: Literal["hunk"]
    text: str


class _CreateFields(TypedDict, total=False):
    text: str
    if_empty: bool


class Create(_CreateFields):
    """Makes a new file; it is refused if the file exists."""

    op: Literal["create"]


class Delete(TypedDict):
    """Removes the file."""

    op: Literal["delete"]


class _TargetFields(TypedDict, total=False):
    overwrite: bool


class Rename(_TargetFields):
    """Moves the file."""

    op: Literal["rename"]
    to: WirePath


class Copy(_TargetFields):
    """Copies the file."""

    op: Literal["copy"]
    to: WirePath


class Chmod(TypedDict):
    """Sets the permission bits: octal digits, such as "755"."""

    op: Literal["chmod"]
    mode: str


Edit = Union[Replace, Insert, Write, Lines, Substitute, Symbol, Chunk, Hunk, Create, Delete, Rename, Copy, Chmod]


class _FileFields(TypedDict, total=False):
    base: str


class FileEdits(_FileFields):
    """The edits of one file. `base` is a version, `@` and a job, a hash, "any" or "absent"."""

    path: WirePath
    edits: Union[Edit, Sequence[Edit]]


class SeveralFiles(_FileFields):
    """A substitution in all files of these paths and globs."""

    paths: Sequence[WirePath]
    edits: Union[Substitute, Sequence[Substitute]]


FileEntry = Union[FileEdits, SeveralFiles]
