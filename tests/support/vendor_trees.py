"""The event trees of other makers that tests compare with: EVNAME_SHARED/vendor holds them as
archives, which are unpacked into a build directory."""

import os
import pathlib
import subprocess

ARCHIVES = ("linux-7.3-pmu-events", "intel-perfmon-2026-08", "arm-telemetry-2026-04", "arm-data-2025-01")


def unpacked(name, build_dir):
    """The directory of the unpacked archive NAME.tar.xz; None if there is no such archive."""
    archive = pathlib.Path(os.environ.get("EVNAME_SHARED", "/nonexistent"), "vendor", name + ".tar.xz")
    if not archive.exists():
        return None
    directory = pathlib.Path(build_dir, "vendor", name)
    if not directory.exists():
        directory.parent.mkdir(parents=True, exist_ok=True)
        scratch = directory.with_suffix(f".{os.getpid()}")
        scratch.mkdir()
        subprocess.run(["tar", "--no-same-owner", "--no-same-permissions", "-xf", archive, "-C", scratch], check=True)
        try:
            (scratch / name).rename(directory) if (scratch / name).is_dir() else scratch.rename(directory)
        except OSError:  # another test was first
            pass
    return directory
