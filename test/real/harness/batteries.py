"""Simulated batteries, and the real upowerd that watches them.

Started by private-batteries.ts under umockdev-wrapper. Each line in is a JSON object and is answered by one line:
{"set": {"BAT0": {"status": "Charging", ...}}}  makes or changes supplies, as the kernel does, and announces it
{"stop": "upowerd"}, {"start": "upowerd"}       the daemon ends, or comes back
"""

import json
import subprocess
import sys

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import UMockdev  # noqa: E402

UPOWERD = sys.argv[1]
testbed = UMockdev.Testbed.new()
devices = {}
daemon = None


def environment_of(values):
    return [text for name, value in values.items() for text in ("POWER_SUPPLY_" + name.upper(), str(value))]


def set_supply(name, values):
    if name not in devices:
        attributes = [text for key, value in values.items() for text in (key, str(value))]
        devices[name] = testbed.add_device("power_supply", name, None, attributes, environment_of(values))
        return
    for key, value in values.items():
        testbed.set_attribute(devices[name], key, str(value))
        testbed.set_property(devices[name], "POWER_SUPPLY_" + key.upper(), str(value))
    testbed.uevent(devices[name], "change")


def start():
    global daemon
    daemon = subprocess.Popen([UPOWERD], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def stop():
    global daemon
    if daemon is not None:
        daemon.kill()
        daemon.wait()
        daemon = None


def obey(order):
    for name, values in order.get("set", {}).items():
        set_supply(name, values)
    if "stop" in order:
        stop()
    if "start" in order:
        start()


try:
    print(testbed.get_root_dir(), flush=True)
    for line in sys.stdin:
        obey(json.loads(line))
        print("done", flush=True)
finally:
    stop()
