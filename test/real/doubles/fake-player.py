"""A media player controlled by its input: lines of JSON, {"Volume": ["d", 0.4]}, are announced as changed.

Each announcement is answered with the time it was made, Unix nanoseconds. {"Seeked": 5} announces a jump; {"hang": 3} makes
it deaf for so many seconds; {"lose": true} gives its name up.
"""
import json
import sys
import threading
import time

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

PATH = "/org/mpris/MediaPlayer2"
ROOT = "org.mpris.MediaPlayer2"
PLAYER = ROOT + ".Player"
PROPERTIES = """<node><interface name="org.freedesktop.DBus.Properties">
<method name="Get"><arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="v" direction="out"/></method>
<method name="GetAll"><arg type="s" direction="in"/><arg type="a{sv}" direction="out"/></method>
</interface></node>"""

values = {"PlaybackStatus": GLib.Variant("s", "Playing"), "Metadata": GLib.Variant("a{sv}", {})}
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
loop = GLib.MainLoop()


def typed(reported):
    signature, value = reported
    if signature == "a{sv}":
        value = {key: typed(inner) for key, inner in value.items()}
    return GLib.Variant(signature, value)


def answer(_bus, _sender, _path, _interface, member, arguments, invocation):
    wanted = arguments.unpack()
    if member == "GetAll":
        invocation.return_value(GLib.Variant("(a{sv})", (values if wanted[0] == PLAYER else {},)))
    elif wanted[1] in values:
        invocation.return_value(GLib.Variant("(v)", (values[wanted[1]],)))
    else:
        invocation.return_dbus_error("org.freedesktop.DBus.Error.UnknownProperty", "no " + wanted[1])


def obey(line):
    reported = json.loads(line)
    if "hang" in reported:
        time.sleep(reported["hang"])
    elif "lose" in reported:
        Gio.bus_unown_name(name)
    elif "Seeked" in reported:
        bus.emit_signal(None, PATH, PLAYER, "Seeked", GLib.Variant("(x)", (reported["Seeked"],)))
    else:
        changed = {key: typed(value) for key, value in reported.items()}
        values.update(changed)
        body = GLib.Variant("(sa{sv}as)", (PLAYER, changed, []))
        now = time.time_ns()
        bus.emit_signal(None, PATH, "org.freedesktop.DBus.Properties", "PropertiesChanged", body)
        bus.flush_sync()
        print(now, flush=True)
    return False


def listen():
    for line in sys.stdin:
        GLib.idle_add(obey, line)
    GLib.idle_add(loop.quit)


bus.register_object(PATH, Gio.DBusNodeInfo.new_for_xml(PROPERTIES).interfaces[0], answer, None, None)
name = Gio.bus_own_name_on_connection(
    bus, ROOT + "." + sys.argv[1], 0, lambda *_: print("there", flush=True), None
)
threading.Thread(target=listen, daemon=True).start()
loop.run()
