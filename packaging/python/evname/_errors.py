"""The exceptions of evname. Each is an Error and, if there is one, the built-in exception for it."""

from __future__ import annotations


class Error(Exception):
    """A failure.

    message: what went wrong, one sentence; where: file, file:line or file@offset, or "";
    hint: what to try next, or ""; offset: of the fault in the text or file, in bytes, or None.
    """

    def __init__(self, message: str, where: str = "", hint: str = "", offset: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint
        self.offset = offset

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}" if self.where else self.message
        return f"{text} ({self.hint})" if self.hint else text


class InvalidArgumentError(Error, ValueError):
    """The text or value can't be used as it is: a syntax error, say."""


class NotFoundError(Error, LookupError):
    """No such event, CPU, model, PMU, metric or file."""


class MissingFileError(NotFoundError, FileNotFoundError):
    """No such recording."""


class OutOfRangeError(Error, ValueError):
    """A number does not fit its destination."""


class CorruptError(Error, ValueError):
    """Bytes of a file contradict its format."""


class SystemCallError(Error, OSError):
    """The operating system reported an error."""


class UnsupportedError(Error, NotImplementedError):
    """Well formed, but this build can't do it."""


class NoMemoryError(Error, MemoryError):
    """There is not enough memory."""


class CancelledError(Error):
    """The function given as `progress` ended the call."""


class RecordingWarning(UserWarning):
    """A part of a recording could not be read; the rest is used."""


# enum evname_status of <evname/evname.h>.
_BY_STATUS = {1: InvalidArgumentError, 2: NotFoundError, 3: OutOfRangeError, 4: CorruptError, 5: SystemCallError,
              6: UnsupportedError, 7: NoMemoryError, 9: CancelledError}


def from_status(status: int, message: str, where: str, hint: str, offset: int | None) -> Error:
    return _BY_STATUS.get(status, Error)(message, where, hint, offset)
