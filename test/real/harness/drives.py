"""Simulated drives, and the real udisksd that manages them.

Started by drives.ts under umockdev-wrapper, with the daemon and the numbers of block devices that exist. Each line in is a JSON object and is
answered by one line:
{"start": ["sda", "sdb"]}             the daemon starts, and finds these ATA drives
{"stop": true}                        it is killed
{"pages": {"sda": {"file": "/path", "passed": true, "asleep": false}}}   what the drive answers: values and thresholds from a file, and its verdict
{"update": "sda", "nowakeup": true}   the daemon asks the drive, as it does every ten minutes; answered by its error, if any
{"asked": "sda"}                      answered by the ATA commands the drive got, and forgets them
"""

import json
import os
import stat
import struct
import subprocess
import threading
import sys

import gi

gi.require_version("UMockdev", "1.0")
gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib, UMockdev  # noqa: E402

UDISKSD = sys.argv[1]
SG_IO = 0x2285
BLKGETSIZE64 = 0x80081272
CHECK_POWER_MODE, IDENTIFY_DEVICE, SMART = 0xE5, 0xEC, 0xB0
READ_DATA, READ_THRESHOLDS, RETURN_STATUS = 0xD0, 0xD1, 0xDA
NAME = "org.freedesktop.UDisks2"
NUMBERS = [tuple(map(int, text.split(":"))) for text in sys.argv[2:]]
testbed = UMockdev.Testbed.new()
devices = {}
drives = {}
handlers = []
daemon = None


def identify_page():
    """Of a drive that has SMART and power management, both switched on."""
    words = [0] * 256
    words[82] = words[85] = 0x0009
    words[83] = words[84] = words[87] = 0x4000
    return struct.pack("<256H", *words)


def obey_ata(drive, feature, command):
    """The data that come back, and the registers count, middle and high."""
    drive["asked"].append("%02x" % command if command != SMART else "%02x/%02x" % (command, feature))
    if command == CHECK_POWER_MODE:
        return b"", (0x00 if drive["asleep"] else 0xFF, 0, 0)
    if command == IDENTIFY_DEVICE:
        return identify_page(), (1, 0, 0)
    if command == SMART and feature == RETURN_STATUS:
        return b"", (0, 0x4F, 0xC2) if drive["passed"] else (0, 0xF4, 0x2C)
    pages = drive["pages"]
    if command == SMART and feature in (READ_DATA, READ_THRESHOLDS):
        return pages[:512] if feature == READ_DATA else pages[512:], (1, 0x4F, 0xC2)
    return b"", (0, 0x4F, 0xC2)


def on_ioctl(handler, client, name):
    request = client.get_request()
    if request == BLKGETSIZE64:
        client.get_arg().resolve(0, 8).update(0, list(struct.pack("<Q", 1 << 40)))
        client.complete(0, 0)
        return True
    if request != SG_IO:
        client.complete(-1, 25)
        return True
    # Version 3 is shorter; the rest is only read.
    header = client.get_arg().resolve(0, 160)
    version = bytes(header.retrieve())[0]
    # Where the command, the data and the sense stand in versions 3 and 4 of the header.
    command_at, data_at, length_at, sense_at = (24, 16, 12, 32) if version == ord("S") else (16, 80, 68, 48)
    command = bytes(header.resolve(command_at, 16).retrieve())
    (length,) = struct.unpack_from("<I", bytes(header.retrieve()), length_at)
    data, (count, middle, high) = obey_ata(drives[name], command[4], command[14])
    if length > 0 and data:
        header.resolve(data_at, length).update(0, list(data[:length]))
    # The registers of the drive in descriptor format: ready.
    sense = [0x72, 1, 0, 0x1D, 0, 0, 0, 14, 9, 12, 0, 0, 0, count, 0, 0, 0, middle, 0, high, 0, 0x50]
    header.resolve(sense_at, len(sense)).update(0, sense)
    client.complete(0, 0)
    return True


def add(name):
    major, minor = NUMBERS[len(devices)]
    serial = "SERIAL" + name.upper()
    attributes = ["size", "1953525168", "removable", "0", "dev", "%d:%d" % (major, minor), "device/vendor", "ATA", "stat", "1 " * 17]
    properties = [
        "DEVNAME", "/dev/" + name, "DEVTYPE", "disk", "MAJOR", str(major), "MINOR", str(minor), "ID_TYPE", "disk", "ID_BUS", "ata",
        "ID_ATA", "1", "ID_MODEL", "TESTDISK", "ID_SERIAL", serial, "ID_SERIAL_SHORT", serial,
    ]  # fmt: skip
    devices[name] = testbed.add_device("block", name, None, attributes, properties)
    drives[name] = {"asked": [], "pages": bytes(1024), "passed": True, "asleep": False}
    node = os.path.join(testbed.get_root_dir(), "dev", name)
    # A block device to a program that inspects the descriptor; every command to it ends here.
    os.makedirs(os.path.dirname(node), exist_ok=True)
    os.mknod(node, stat.S_IFBLK | 0o600, os.makedev(major, minor))
    links = os.path.join(testbed.get_root_dir(), "sys", "dev", "block")
    os.makedirs(links, exist_ok=True)
    os.symlink("../../devices/" + name, os.path.join(links, "%d:%d" % (major, minor)))
    handler = UMockdev.IoctlBase()
    handler.connect("handle-ioctl", on_ioctl, name)
    handlers.append(handler)
    testbed.attach_ioctl("/dev/" + name, handler)


def bus():
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    return Gio.DBusConnection.new_for_address_sync(os.environ["DBUS_SYSTEM_BUS_ADDRESS"], flags, None, None)


connection = bus()


def call(path, interface, member, arguments=None):
    return connection.call_sync(NAME, path, interface, member, arguments, None, Gio.DBusCallFlags.NO_AUTO_START, 20000, None).unpack()


def waited(done):
    """Polls while the main loop, which answers for the drives, goes on."""
    context = GLib.MainContext.default()
    for _ in range(600):
        try:
            if done():
                return
        except GLib.Error:
            pass
        until = GLib.get_monotonic_time() + 100_000
        while GLib.get_monotonic_time() < until:
            if not context.iteration(False):
                GLib.usleep(5000)
    raise RuntimeError("udisksd did not do it")


def found():
    (objects,) = call("/org/freedesktop/UDisks2", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
    return [path for path, interfaces in objects.items() if NAME + ".Drive.Ata" in interfaces]


def start(names):
    global daemon
    for name in names:
        if name not in devices:
            add(name)
    daemon = subprocess.Popen([UDISKSD, "--no-sigint"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    waited(lambda: call("/org/freedesktop/UDisks2", "org.freedesktop.DBus.Peer", "Ping") == ())
    for name in names:
        # Its file system has no udev database: later devices are found without it.
        testbed.uevent(devices[name], "add")
    waited(lambda: len(found()) == len(names))


def stop():
    global daemon
    if daemon is not None:
        daemon.kill()
        daemon.wait()
        daemon = None


def update(name, nowakeup):
    path = "/org/freedesktop/UDisks2/drives/SERIAL" + name.upper()
    options = GLib.Variant("(a{sv})", ({"nowakeup": GLib.Variant("b", nowakeup)},))
    answer = []

    def ask():
        try:
            call(path, NAME + ".Drive.Ata", "SmartUpdate", options)
            answer.append("done")
        except GLib.Error as error:
            answer.append(error.message)

    threading.Thread(target=ask).start()
    waited(lambda: answer)
    return answer[0]


def obey(order):
    if order.get("stop"):
        stop()
    if "start" in order:
        start(order["start"])
    for name, given in order.get("pages", {}).items():
        drives[name].update(passed=given["passed"], asleep=given["asleep"])
        with open(given["file"], "rb") as file:
            drives[name]["pages"] = file.read()
    if "update" in order:
        return update(order["update"], order["nowakeup"])
    if "asked" in order:
        asked, drives[order["asked"]]["asked"] = drives[order["asked"]]["asked"], []
        return json.dumps(asked)
    return "done"


def on_input(channel, condition):
    line = sys.stdin.readline()
    if line == "":
        loop.quit()
        return False
    print(obey(json.loads(line)), flush=True)
    return True


loop = GLib.MainLoop()
GLib.io_add_watch(sys.stdin.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, on_input)
try:
    print(testbed.get_root_dir(), flush=True)
    loop.run()
finally:
    stop()
