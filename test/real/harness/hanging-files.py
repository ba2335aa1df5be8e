"""A file system in user space that shows a directory and can stop answering: hanging-files.py SOURCE MOUNT_POINT

SIGUSR1: requests are taken and kept, as by sshfs when its server is gone. SIGUSR2: they are answered, and all that follow.
SIGSTOP and SIGCONT: requests are not even taken. https://man7.org/linux/man-pages/man4/fuse.4.html
"""

import ctypes
import errno
import os
import signal
import struct
import sys

LOOKUP, FORGET, GETATTR, READLINK, OPEN, READ, STATFS, RELEASE = 1, 2, 3, 5, 14, 15, 17, 18
FLUSH, INIT, OPENDIR, READDIR, RELEASEDIR, INTERRUPT, BATCH_FORGET = 25, 26, 27, 28, 29, 36, 42
UNANSWERED = {FORGET, INTERRUPT, BATCH_FORGET}

source, mount_point = (os.fsencode(argument) for argument in sys.argv[1:])
paths = {1: source}
numbers = {source: 1}
waiting = []
holding = False


def attributes(number):
    stat = os.lstat(paths[number])
    times = (stat.st_atime_ns, stat.st_mtime_ns, stat.st_ctime_ns)
    seconds, rest = zip(*(divmod(time, 10**9) for time in times))
    return struct.pack(
        "<6Q10I", number, stat.st_size, stat.st_blocks, *seconds, *rest,
        stat.st_mode, stat.st_nlink, stat.st_uid, stat.st_gid, 0, 4096, 0,
    )


def answer(opcode, node, body):
    if opcode == INIT:
        return struct.pack("<4I2H2I2H2I24x", 7, 31, 131072, 0, 0, 0, 131072, 1, 32, 0, 0, 0)
    if opcode == LOOKUP:
        path = os.path.join(paths[node], body.rstrip(b"\0"))
        os.lstat(path)
        number = numbers.setdefault(path, len(numbers) + 1)
        paths[number] = path
        return struct.pack("<4Q2I", number, 0, 0, 0, 0, 0) + attributes(number)
    if opcode == GETATTR:
        return struct.pack("<Q2I", 0, 0, 0) + attributes(node)
    if opcode == READLINK:
        return os.readlink(paths[node])
    if opcode in (OPEN, OPENDIR):
        return struct.pack("<Q2I", 0, 0, 0)
    if opcode == READDIR:
        _, offset, size = struct.unpack_from("<QQI", body)
        entries = b""
        for index, name in enumerate([b".", b"..", *sorted(os.listdir(paths[node]))]):
            entry = struct.pack("<QQII", 1, index + 1, len(name), 0) + name + b"\0" * (-len(name) % 8)
            if index >= offset and len(entries) + len(entry) <= size:
                entries += entry
        return entries
    if opcode == READ:
        _, offset, size = struct.unpack_from("<QQI", body)
        with open(paths[node], "rb") as file:
            return os.pread(file.fileno(), size, offset)
    if opcode == STATFS:
        # Larger blocks than the counted ones, as on some servers.
        stat = os.statvfs(source)
        counts = (stat.f_blocks, stat.f_bfree, stat.f_bavail, stat.f_files, stat.f_ffree)
        return struct.pack("<5Q4I24x", *counts, 1 << 20, stat.f_namemax, stat.f_frsize, 0)
    if opcode in (FLUSH, RELEASE, RELEASEDIR):
        return b""
    raise OSError(errno.ENOSYS, "not implemented")


def handle(request):
    opcode, unique, node = struct.unpack_from("<4xIQQ", request)
    if opcode in UNANSWERED:
        return
    try:
        error, result = 0, answer(opcode, node, request[40:])
    except OSError as problem:
        error, result = -problem.errno, b""
    try:
        os.write(device, struct.pack("<IiQ", 16 + len(result), error, unique) + result)
    except FileNotFoundError:
        pass  # The process that asked has been killed.


def hold(*_):
    global holding
    holding = True


def go_on(*_):
    global holding
    holding = False
    while waiting:
        handle(waiting.pop(0))


signal.signal(signal.SIGUSR1, hold)
signal.signal(signal.SIGUSR2, go_on)
device = os.open("/dev/fuse", os.O_RDWR)
options = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other".encode()
if ctypes.CDLL(None, use_errno=True).mount(b"hanging", mount_point, b"fuse.hanging", 0, options) != 0:
    raise OSError(ctypes.get_errno(), "mount")
handle(os.read(device, 1 << 18))
print("mounted", flush=True)
while True:
    request = os.read(device, 1 << 18)
    if holding:
        waiting.append(request)
    else:
        handle(request)
