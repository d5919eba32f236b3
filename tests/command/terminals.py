"""For tests of what a terminal gets."""

import pty
import unittest


def fork_with_terminal():
    """pty.fork(), which needs /dev/pts: a bare chroot has none."""
    try:
        return pty.fork()
    except OSError as error:
        raise unittest.SkipTest(f"no terminal: {error}") from None
