"""For tests of what a terminal gets."""

import pty
import unittest


def made(function):
    """What a function returns that needs /dev/pts: a bare chroot has none."""
    try:
        return function()
    except OSError as error:
        raise unittest.SkipTest(f"no terminal: {error}") from None


def fork_with_terminal():
    return made(pty.fork)


def open_terminal():
    """The two file descriptors of os.openpty()."""
    return made(pty.openpty)
