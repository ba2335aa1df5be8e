"""Holds a lease on a file, so that others who open it without waiting get EAGAIN; says "there" when it does. Ends with its input."""
import fcntl
import os
import signal
import sys

# Whoever opens the file makes the kernel ask for it back.
signal.signal(signal.SIGIO, signal.SIG_IGN)
descriptor = os.open(sys.argv[1], os.O_RDONLY)
fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_WRLCK)
print("there", flush=True)
sys.stdin.read()
