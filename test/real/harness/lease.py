"""Holds a lease on a file, so that a non-blocking open fails with EAGAIN; prints "there" when it does. Ends with its input."""
import fcntl
import os
import signal
import sys

# Opening the file makes the kernel break the lease.
signal.signal(signal.SIGIO, signal.SIG_IGN)
descriptor = os.open(sys.argv[1], os.O_RDONLY)
fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_WRLCK)
print("there", flush=True)
sys.stdin.read()
