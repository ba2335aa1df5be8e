"""A bus that hands over descriptors which nobody asked for, before or with the answer to Inhibit: hostile-bus.py SOCKET linger|long|socket"""
import os
import socket
import struct
import sys
import threading
import time

place, mode = sys.argv[1:]


def padded(data, to):
    return data + bytes(-len(data) % to)


def message(kind, serial, fields):
    header = b""
    for code, sign, value in fields:
        header = padded(header, 8) + bytes([code, 1]) + sign.encode() + b"\0"
        if sign == "u":
            header = padded(header, 4) + struct.pack("<I", value)
        else:
            header = padded(header, 4) + struct.pack("<I", len(value)) + value.encode() + b"\0"
    start = b"l" + bytes([kind, 1, 1]) + struct.pack("<III", 0, serial, len(header))
    return padded(start + header, 8)


def signal(path):
    return message(4, 7, [(1, "o", path), (2, "s", "a.b"), (3, "s", "C"), (9, "u", 1)])


def lingering():
    """Its last close waits: the peer reads nothing of what is unsent."""
    listener = socket.create_server(("127.0.0.1", 0))
    sender = socket.create_connection(listener.getsockname())
    listener.accept()[0].detach()
    sender.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 20))
    sender.setblocking(False)
    try:
        while True:
            sender.send(bytes(65536))
    except BlockingIOError:
        return sender


def serve(connection):
    text = b""
    while b"BEGIN\r\n" not in text:
        text += connection.recv(4096)
        if text.endswith(b"\r\n") and b"BEGIN" not in text:
            last = text.strip(b"\0").split(b"\r\n")[-2]
            connection.sendall(b"AGREE_UNIX_FD\r\n" if last.startswith(b"NEGOTIATE") else b"OK " + b"0" * 32 + b"\r\n")
    if text.endswith(b"BEGIN\r\n"):
        connection.recv(4096)
    connection.sendall(message(2, 1, [(5, "u", 1)]))
    connection.recv(4096)
    reading, writing = os.pipe()
    if mode == "socket":
        socket.send_fds(connection, [message(2, 8, [(5, "u", 2), (9, "u", 1)])], [lingering().detach()])
    else:
        foreign = lingering() if mode == "linger" else open("/dev/null")
        socket.send_fds(connection, [signal("/a" if mode == "linger" else "/" + "a" * 70_000)], [foreign.fileno()])
        foreign.close()
        time.sleep(0.1)
        try:
            socket.send_fds(connection, [message(2, 8, [(5, "u", 2), (9, "u", 1)])], [writing])
        except BrokenPipeError:
            return
    os.close(writing)
    # At the end of the file the inhibitor was released.
    os.read(reading, 1)
    print("released", flush=True)


server = socket.socket(socket.AF_UNIX)
server.bind(place)
server.listen()
print("listening", flush=True)
while True:
    threading.Thread(target=serve, args=[server.accept()[0]], daemon=True).start()
