"""For tests that interrupt a command."""

import signal


def let_interrupts_through():
    """What we start is interrupted by SIGINT even if it is ignored here, as it is in what a script starts with &."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
