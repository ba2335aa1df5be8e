"""Many small file systems below /srv: `mounts.py mount COUNT`, `mounts.py unmount`."""

import ctypes
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)


def check(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


if sys.argv[1] == "mount":
    for number in range(int(sys.argv[2])):
        place = f"/srv/many-{number}"
        os.makedirs(place, exist_ok=True)
        check(libc.mount(b"many", place.encode(), b"tmpfs", 0, b"size=64k"))
else:
    for name in os.listdir("/srv"):
        if name.startswith("many-"):
            check(libc.umount2(f"/srv/{name}".encode(), 2))
            os.rmdir(f"/srv/{name}")
