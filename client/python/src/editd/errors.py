"""The exceptions of this package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Mapping, Optional, Union

if TYPE_CHECKING:
    from .replies import Receipt


class EditdError(Exception):
    """The base of all exceptions of this package."""


class RefusedError(EditdError):
    """The daemon refused a request, or a job: nothing of it was done, unless `code` is `io` or `internal`.

    `code` is one of the error codes of the protocol (unknown ones may be added), `details` has all fields of the error,
    and `receipt` the whole receipt of a refused job.
    """

    def __init__(self, details: Mapping[str, Any], receipt: Optional[Receipt] = None) -> None:
        self.details = details
        self.code = str(details.get("code", "internal"))
        self.message = str(details.get("message", ""))
        self.receipt = receipt
        super().__init__(f"{self.code}: {self.message}")

    def __reduce__(self) -> Any:
        return type(self), (self.details, self.receipt)

    @property
    def path(self) -> Union[str, bytes, None]:
        """The file concerned."""
        path = self.details.get("path")
        return path if isinstance(path, (str, bytes)) else None

    @property
    def version(self) -> Optional[str]:
        """The present version of the file, to send as `base`."""
        return self._text("version")

    @property
    def diff(self) -> Optional[str]:
        """The changes since the session read the file."""
        return self._text("diff")

    @property
    def would_apply(self) -> Optional[str]:
        """`clean` or `conflict`: the result that the unchanged job would have on the present content."""
        return self._text("would_apply")

    @property
    def others(self) -> List[RefusedError]:
        """The other errors of the job."""
        return [refusal(one) for one in _maps(self.details.get("others"))]

    def describe(self) -> str:
        """Returns the message with what the error shows of the files, as lines for a person or a language model."""
        lines = [self.message or self.code]
        if self.diff:
            lines.append(self.diff.rstrip("\n"))
        for part in _maps(self.details.get("excerpts")):
            lines.append(f"line {part.get('line')}:\n{str(part.get('text', '')).rstrip()}")
        for part in _maps(self.details.get("near_misses"))[:1]:
            lines.append(f"the nearest text, at line {part.get('line')}:\n{str(part.get('text', '')).rstrip()}")
        for part in _maps(self.details.get("candidates")):
            lines.append(f"line {part.get('line')}: {part.get('text')}")
        for part in _maps(self.details.get("regions")):
            lines.append(f"line {part.get('line')} is now:\n{str(part.get('current', '')).rstrip()}")
        for part in _maps(self.details.get("issues")):
            lines.append(f"line {part.get('line', '?')}: {part.get('message')} ({part.get('validator')})")
        symbols = self.details.get("symbols")
        if isinstance(symbols, list) and symbols:
            lines.append("definitions: " + ", ".join(map(str, symbols)))
        lines.extend(other.describe() for other in self.others)
        return "\n".join(lines)

    def _text(self, field: str) -> Optional[str]:
        value = self.details.get(field)
        return value if isinstance(value, str) else None


class StaleError(RefusedError):
    """A file changed since the session read it, or the session has not read the text (`stale`, `unread`, `conflict`).

    The error shows the present text, which then counts as read: the job can be sent again without another read.
    """


class ConnectError(EditdError):
    """No daemon could be reached or started."""


class DeadlineError(EditdError):
    """The time limit of a call passed. The request was not sent, or it changes nothing."""


class UnknownOutcomeError(EditdError):
    """The reply to a request was lost, and the time limit passed before the result could be asked for again.

    The request may have been carried out. If it has a `key`, send it again with the same key: it is never run twice.
    """

    def __init__(self, message: str, key: Optional[str] = None) -> None:
        super().__init__(message)
        self.key = key

    def __reduce__(self) -> Any:
        return type(self), (self.args[0], self.key)


class ProtocolError(EditdError):
    """The daemon sent something that the protocol does not allow."""


class ConnectionLost(EditdError):
    """The connection ended before the reply. Calls handle this themselves; it is raised only after several losses."""


_SHOWING = frozenset(("stale", "unread", "conflict"))


def refusal(details: Mapping[str, Any], receipt: Optional[Receipt] = None) -> RefusedError:
    """Returns the exception for an error of the daemon."""
    return (StaleError if details.get("code") in _SHOWING else RefusedError)(details, receipt)


def _maps(value: object) -> List[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
