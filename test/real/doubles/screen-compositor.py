"""A stand-in for a Wayland compositor with one display that can be captured, and with faults on request.

usage: screen-compositor.py SOCKET MODE
ext     fills the picture by ext-image-copy-capture: red is x, green is y, blue is x ^ y; upright although the display is turned
silent  offers wlr-screencopy, takes the memory, and never says that it is filled
absurd  offers a picture of 60000 x 60000 pixels
shrink  cuts the memory off that it was given, and says that it is filled
"""
import os
import socket
import struct
import sys
import threading

path, mode = sys.argv[1:3]
width, height = (60000, 60000) if mode == 'absurd' else (320, 200)
wlr = mode != 'ext'
kinds = ['wl_shm', 'wl_output'] + (['zwlr_screencopy_manager_v1'] if wlr else [
    'ext_output_image_capture_source_manager_v1', 'ext_image_copy_capture_manager_v1'])


def text(value):
    data = value.encode() + b'\0'
    return struct.pack('<I', len(data)) + data + b'\0' * (-len(data) % 4)


def pattern(stride):
    rows = []
    for y in range(height):
        row = b''.join(struct.pack('<BBBB', (x ^ y) & 255, y & 255, x & 255, 0) for x in range(width))
        rows.append(row + b'\0' * (stride - len(row)))
    return b''.join(rows)


def serve(connection):
    objects, buffers, pools, attached, descriptors = {1: 'display'}, {}, {}, {}, []

    def send(target, opcode, content=b''):
        connection.sendall(struct.pack('<II', target, (8 + len(content)) << 16 | opcode) + content)

    def words(*values):
        return struct.pack('<%dI' % len(values), *values)

    def filled(buffer):
        pool, stride = buffers[buffer]
        if mode == 'shrink':
            os.ftruncate(pools[pool], 16)
        else:
            os.pwrite(pools[pool], pattern(stride), 0)

    def request(target, opcode, data):
        kind = objects.get(target)
        first = struct.unpack('<I', data[:4])[0] if len(data) >= 4 else 0
        if kind == 'display' and opcode == 0:
            send(first, 0, words(0))
            send(1, 1, words(first))
        elif kind == 'display':
            objects[first] = 'registry'
            for name, offered in enumerate(kinds):
                send(first, 0, words(name) + text(offered) + words(4))
        elif kind == 'registry':
            new = struct.unpack('<I', data[-4:])[0]
            objects[new] = kinds[first]
            if kinds[first] == 'wl_output':
                send(new, 0, words(0, 0, 300, 200, 0) + text('make') + text('model') + words(1))
                send(new, 1, words(1, width, height, 60000))
                send(new, 4, text('FAKE-1'))
                send(new, 2)
        elif kind == 'wl_shm':
            objects[first] = 'pool'
            pools[first] = descriptors.pop(0)
        elif kind == 'pool' and opcode == 0:
            objects[first] = 'buffer'
            buffers[first] = (target, struct.unpack('<I', data[16:20])[0])
        elif kind == 'zwlr_screencopy_manager_v1':
            objects[first] = 'wlr frame'
            send(first, 0, words(1, width, height, width * 4))
            send(first, 6)
        elif kind == 'wlr frame' and opcode == 0 and mode != 'silent':
            filled(first)
            send(target, 2, words(0, 0, 0))
        elif kind == 'ext_output_image_capture_source_manager_v1':
            objects[first] = 'source'
        elif kind == 'ext_image_copy_capture_manager_v1':
            objects[first] = 'session'
            send(first, 0, words(width, height))
            send(first, 1, words(1))
            send(first, 4)
        elif kind == 'session' and opcode == 0:
            objects[first] = 'frame'
        elif kind == 'frame' and opcode == 1:
            attached[target] = first
        elif kind == 'frame' and opcode == 3:
            filled(attached[target])
            send(target, 0, words(0))
            send(target, 3)

    rest = b''
    while True:
        data, came, _flags, _address = socket.recv_fds(connection, 65536, 16)
        if not data:
            break
        descriptors.extend(came)
        rest += data
        while len(rest) >= 8:
            target, header = struct.unpack('<II', rest[:8])
            size = header >> 16
            if len(rest) < size:
                break
            request(target, header & 0xffff, rest[8:size])
            rest = rest[size:]
    for descriptor in list(pools.values()) + descriptors:
        os.close(descriptor)


def attend(connection):
    try:
        serve(connection)
    except OSError:
        pass
    finally:
        connection.close()


server = socket.socket(socket.AF_UNIX)
server.bind(path)
server.listen(16)
print('listening', flush=True)
while True:
    threading.Thread(target=attend, args=(server.accept()[0],), daemon=True).start()
