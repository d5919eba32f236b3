"""A machine of another kind for one command: its /sys and /proc/cpuinfo are other trees, and its perf_event_open opens
counters that exist only here. The command runs in a mount namespace of its own (this needs root), and a seccomp
filter hands its calls of perf_event_open, and its reads of these counters, to this process.

A counter counts by the kernel's rules: a group that the hardware can't hold at once is refused with EINVAL, and groups that
don't fit beside each other share the counters, each for an equal part of the time. A watchdog has its counter at all times:
a pinned group that does not fit beside it is given up, and reads of it return nothing."""

import collections
import ctypes
import errno
import fcntl
import os
import pathlib
import platform
import resource
import select
import socket
import struct
import subprocess
import threading

LIBC = ctypes.CDLL(None, use_errno=True)
# AUDIT_ARCH_*, and the numbers of perf_event_open, read, ioctl, mmap, close and seccomp.
CALLS = {"x86_64": (0xC000003E, 298, 0, 16, 9, 3, 317), "aarch64": (0xC00000B7, 241, 63, 29, 222, 57, 277)}
FIRST_FILE = 3000
SET_FILE, SEND = 1, 2  # SECCOMP_ADDFD_FLAG_*
GO_ON = 1  # SECCOMP_USER_NOTIF_FLAG_CONTINUE
RECEIVE_CALL, ANSWER_CALL, ADD_FILE = 0xC0502100, 0xC0182101, 0x40182103  # SECCOMP_IOCTL_NOTIF_*
CALL, ANSWER, FILE = "QIIiIQ6Q", "QqiI", "QIIII"
ASK_FOR_ID = 0x80082407  # PERF_EVENT_IOC_ID
SECOND = 1_000_000_000
FREQUENCY_LIMIT = "sys/kernel/perf_event_max_sample_rate"  # in /proc
WATCHDOG = "sys/kernel/nmi_watchdog"
PINNED = 4  # in the bits of an attr

Opened = collections.namedtuple("Opened", "type config config1 config2 config3 group thread cpu flags format bits period")


def filter_of(arch, is_open, is_read, is_ioctl, is_mmap, is_close, _, maps=False):
    """The filter of seccomp: this process answers perf_event_open, reads and closes of counters; ioctl succeeds, and mmap
    of a counter fails unless its file has a page (`maps`)."""
    load, jump, at_least, answer = 0x20, 0x15, 0x35, 0x06
    allow, ask, done, refuse = 0x7FFF0000, 0x7FC00000, 0x00050000, 0x00050000 | errno.EINVAL
    rows = [(load, 0, 0, 4), (jump, 1, 0, arch), (answer, 0, 0, allow), (load, 0, 0, 0), (jump, 0, 1, is_open), (answer, 0, 0, ask)]
    rows += [(load, 0, 0, 0), (jump, 0, 3, is_ioctl), (load, 0, 0, 24), (jump, 0, 1, ASK_FOR_ID), (answer, 0, 0, ask)]
    for call, argument, then in ((is_read, 0, ask), (is_close, 0, ask), (is_ioctl, 0, done), (is_mmap, 4, allow if maps else refuse)):
        rows += [(load, 0, 0, 0), (jump, 0, 4, call), (load, 0, 0, 16 + 8 * argument), (at_least, 0, 2, FIRST_FILE),
                 (at_least, 1, 0, 1 << 20), (answer, 0, 0, then)]
    rows.append((answer, 0, 0, allow))
    return rows


def fail(what):
    raise OSError(ctypes.get_errno(), what)


class Machine:
    """A machine made of a folder with `sys`, and with `cpuinfo` if that identifies the CPU."""

    maps = False

    def __init__(self, folder, fits):
        """`fits(events, type)` returns true if PMU `type` can count some events (Opened) at the same time."""
        self.folder, self.fits, self.value = pathlib.Path(folder), fits, self.count
        self.opened, self.leaders, self.reads, self.closed, self.shares = [], {}, {}, set(), {}
        self.watchdog = None  # what the watchdog counts (Opened), if it counts

    def run(self, *words, **how):
        """Runs a command like subprocess.run, with text."""
        self.opened, self.leaders, self.reads, self.closed, self.shares = [], {}, {}, set(), {}
        ours, theirs = socket.socketpair()
        child = subprocess.Popen(words, preexec_fn=lambda: self.enter(theirs), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 encoding="utf-8", pass_fds=[theirs.fileno()], **how)
        theirs.close()
        _, (asked,), _, _ = socket.recv_fds(ours, 1, 1)
        ours.close()
        thread = threading.Thread(target=self.serve, args=[asked])
        thread.start()
        out, err = child.communicate()
        thread.join()
        os.close(asked)
        return subprocess.CompletedProcess(words, child.returncode, out, err)

    def enter(self, channel):
        """Runs in the child: mounts over /sys and /proc/cpuinfo, and hands the filter to the parent."""
        # CLONE_NEWNS; MS_REC | MS_PRIVATE, so that nobody else sees the mounts
        if LIBC.unshare(0x00020000) != 0 or LIBC.mount(b"none", b"/", None, 0x44000, None) != 0:
            fail("unshare")
        places = [(self.folder / "sys", "/sys")]
        if os.path.isdir("/sys/fs/cgroup"):  # not in a bare chroot
            cgroups = self.folder / "sys/fs/cgroup"
            cgroups.mkdir(parents=True, exist_ok=True)
            places.insert(0, ("/sys/fs/cgroup", cgroups))
        places += [(self.folder / name, f"/proc/{name}") for name in ("cpuinfo", FREQUENCY_LIMIT, WATCHDOG) if (self.folder / name).exists()]
        for source, place in places:
            if LIBC.mount(os.fsencode(source), os.fsencode(place), None, 0x5000, None) != 0:
                fail(f"mount {place}")
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        rows = b"".join(struct.pack("HBBI", *row) for row in filter_of(*CALLS[platform.machine()], self.maps))
        program = ctypes.create_string_buffer(rows, len(rows))
        head = struct.pack("HxxxxxxP", len(rows) // 8, ctypes.addressof(program))
        LIBC.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
        listener = LIBC.syscall(CALLS[platform.machine()][6], 1, 8, head)  # NEW_LISTENER
        if listener < 0:
            fail("seccomp")
        socket.send_fds(channel, [b"x"], [listener])
        os.close(listener)

    def serve(self, asked):
        poll = select.poll()
        poll.register(asked, select.POLLIN)
        while not any(events & select.POLLHUP for _, events in poll.poll()):
            call = bytearray(struct.calcsize(CALL))
            try:
                fcntl.ioctl(asked, RECEIVE_CALL, call)
                number, pid, _, which, _, _, *arguments = struct.unpack(CALL, call)
                _, is_open, _, is_ioctl, _, is_close, _ = CALLS[platform.machine()]
                if which == is_open:
                    self.open(asked, number, pid, arguments)
                elif which == is_close:
                    self.closed.add(arguments[0])
                    fcntl.ioctl(asked, ANSWER_CALL, struct.pack(ANSWER, number, 0, 0, GO_ON))
                elif which == is_ioctl:
                    self.answer(asked, number, pid, arguments[2], [arguments[0]], 0)
                else:
                    self.answer(asked, number, pid, arguments[1], *self.read(arguments[0], arguments[2]))
            except FileNotFoundError:  # whoever asked has been killed
                continue

    def open(self, asked, number, pid, arguments):
        at, thread, cpu, group, flags = (arguments[i] for i in range(5))
        with open(f"/proc/{pid}/mem", "rb") as memory:
            memory.seek(at)
            attr = memory.read(128)
        kind, _, config, period, _, form, bits = struct.unpack_from("IIQQQQQ", attr)
        config1, config2 = struct.unpack_from("QQ", attr, 56)
        signed = lambda value: value - (1 << 32) if value & (1 << 31) else value
        leader = signed(group & 0xFFFFFFFF)
        one = Opened(kind, config, config1, config2, struct.unpack_from("Q", attr, 120)[0], leader, signed(thread & 0xFFFFFFFF),
                     signed(cpu & 0xFFFFFFFF), flags, form, bits, period)
        file = FIRST_FILE + len(self.opened)
        members = self.leaders.get(leader, []) if leader >= 0 else []
        wrong = self.refusal([*members, one])
        if wrong:
            fcntl.ioctl(asked, ANSWER_CALL, struct.pack(ANSWER, number, 0, -wrong, 0))
            return
        self.opened.append(one)
        self.leaders.setdefault(leader if leader >= 0 else file, []).append(one)
        behind = self.file_for(one)
        fcntl.ioctl(asked, ADD_FILE, struct.pack(FILE, number, SET_FILE | SEND, behind, file, os.O_CLOEXEC))
        os.close(behind)

    def file_for(self, one):
        """The file that the caller gets."""
        return os.open("/dev/null", os.O_RDONLY)

    def refusal(self, group):
        for kind in {one.type for one in group}:
            if not self.fits([one for one in group if one.type == kind], kind):
                return errno.ENOENT if len(group) == 1 else errno.EINVAL
        return 0

    def groups(self, kind):
        """The open groups with an event of PMU `kind`."""
        return [group for file, group in self.leaders.items()
                if file not in self.closed and any(one.type == kind for one in group)]

    def share(self, group):
        """The part of the time that a group counts."""
        least = 1
        for kind in {one.type for one in group}:
            beside = [other for other in self.groups(kind) if (other[0].thread, other[0].cpu) == (group[0].thread, group[0].cpu)]
            always = [self.watchdog] if self.watchdog and self.watchdog.type == kind else []
            rounds, together = 1, always
            for other in beside:
                own = [one for one in other if one.type == kind]
                rounds += not self.fits(together + own, kind)
                together = together + own if self.fits(together + own, kind) else always + own
            least = min(least, 1 / rounds)
        return least

    @staticmethod
    def count(one):
        """The count of an event in a second: it differs between codes, and is the same each time."""
        return 1_000_000 + hash((one.type, one.config, one.config1)) % 9_000_000

    def read(self, file, size):
        """Answers a read with the counts of as many seconds as there were reads."""
        one = self.opened[file - FIRST_FILE]
        group = self.group_of(one)
        if group[0].bits & PINNED and self.watchdog and not self.fits([*group, self.watchdog], self.watchdog.type):
            return [], 0
        self.reads[file] = seconds = self.reads.get(file, 0) + 1
        share = self.shares[file] = self.share(group)
        count_of = lambda other: int(self.value(other) * seconds * share)
        times = [time for bit, time in ((1, SECOND * seconds), (2, int(SECOND * seconds * share))) if one.format & bit]
        extra = lambda other: [number for bit, number in ((4, self.file_of(other)), (16, 0)) if one.format & bit]  # ID, lost
        if not one.format & 8:  # PERF_FORMAT_GROUP
            words = [count_of(one), *times, *extra(one)]
        else:
            words = [len(group), *times] + [word for other in group for word in (count_of(other), *extra(other))]
        words = words[:size // 8]
        return words, 8 * len(words)

    def group_of(self, one):
        return next(group for group in self.leaders.values() if any(one is other for other in group))

    def file_of(self, one):
        return next(FIRST_FILE + i for i, other in enumerate(self.opened) if other is one)

    @staticmethod
    def answer(asked, number, pid, at, words, result):
        with open(f"/proc/{pid}/mem", "r+b", buffering=0) as memory:
            memory.seek(at)
            memory.write(struct.pack(f"{len(words)}Q", *words))
        fcntl.ioctl(asked, ANSWER_CALL, struct.pack(ANSWER, number, result, 0, 0))


def write_tree(root, files):
    for name, text in files.items():
        path = pathlib.Path(root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")


def why_not():
    """Returns why this system can't fake a machine, or "": it needs root and seccomp's notifications."""
    if platform.machine() not in CALLS:
        return f"no numbers of system calls for {platform.machine()}"
    if os.geteuid() != 0:
        return "needs root, for a mount namespace"
    actions = pathlib.Path("/proc/sys/kernel/seccomp/actions_avail")
    if not actions.exists() or "user_notif" not in actions.read_text():
        return "needs seccomp's notifications"
    child = os.fork()
    if child == 0:
        refused = LIBC.unshare(0x00020000) or LIBC.mount(b"none", b"/", None, 0x44000, None)
        os._exit(1 if refused else 0)
    return "needs a mount namespace" if os.waitpid(child, 0)[1] else ""
