"""For tests that interrupt a command."""

import signal


def let_interrupts_through():
    """What we start is interrupted even if we are not: a script's & ignores SIGINT, nohup SIGHUP."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
