"""For tests that interrupt a command."""

import signal
import time


def let_interrupts_through():
    """Lets signals interrupt the started program, even if this one ignores them: a script's & ignores SIGINT, nohup SIGHUP."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def wait_until(condition, process=None, seconds=60):
    """Waits for what `process` is to do first; fails if it ends before, or if that takes too long."""
    end = time.monotonic() + seconds
    while not condition():
        assert process is None or process.poll() is None, f"it ended with {process.returncode}"
        assert time.monotonic() < end, f"nothing after {seconds} s"
        time.sleep(0.01)
