"""Many media players, each on a separate connection; prints "there" when all have their names. Ends with its input."""
import sys

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
held = []
for number in range(int(sys.argv[2])):
    bus = Gio.DBusConnection.new_for_address_sync(sys.argv[1], flags, None, None)
    arguments = GLib.Variant("(su)", ("org.mpris.MediaPlayer2.many%d" % number, 0))
    place = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
    bus.call_sync(*place, "RequestName", arguments, None, 0, -1, None)
    held.append(bus)
print("there", flush=True)
sys.stdin.read()
