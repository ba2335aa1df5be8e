"""Holds sockets until it is killed: `sockets.py PAIRS [child]`, also in a child. Prints their process ids when they are open."""

import os
import resource
import socket
import sys
import time

most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
kept = []


def listen(family, address):
    listener = socket.socket(family)
    listener.bind((address, 0))
    listener.listen(4096)
    kept.append(listener)
    return listener


def connect(listener):
    client = socket.socket(listener.family)
    client.connect(listener.getsockname()[:2])
    server, _ = listener.accept()
    return client, server


def datagram(family, address, to=None):
    one = socket.socket(family, socket.SOCK_DGRAM)
    one.bind((address, 0))
    if to:
        one.connect(to)
    kept.append(one)
    return one


listeners = [listen(socket.AF_INET, "127.0.0.1"), listen(socket.AF_INET6, "::1"), listen(socket.AF_INET6, "::")]
for number in range(int(sys.argv[1])):
    kept.extend(connect(listeners[number % 2]))
if "child" in sys.argv:
    child = os.fork()
    if child:
        print(os.getpid(), child, flush=True)
    time.sleep(600)
# As IPv6 sees an IPv4 client.
client = socket.create_connection(("127.0.0.1", listeners[2].getsockname()[1]))
kept.extend([client, listeners[2].accept()[0]])
# Both ends in each of the lasting states.
for listener in listeners[:2]:
    client, server = connect(listener)
    client.close()
    kept.append(server)
    client, server = connect(listener)
    server.close()
    client.close()
one = datagram(socket.AF_INET, "127.0.0.1")
datagram(socket.AF_INET, "127.0.0.1", one.getsockname())
other = datagram(socket.AF_INET6, "::1")
datagram(socket.AF_INET6, "::1", other.getsockname()[:2])
datagram(socket.AF_INET, "0.0.0.0")
datagram(socket.AF_INET6, "::")
# Bound, but neither connected nor listening: in no list of sockets.
bound = socket.socket()
bound.bind(("127.0.0.1", 0))
kept.append(bound)
print(os.getpid(), flush=True)
time.sleep(600)
