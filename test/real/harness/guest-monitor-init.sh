#!/bin/busybox sh
# The first process of the virtual machine with a monitor: the monitor is a stand-in (ddc-monitor.c), the kernel between is real.
/bin/busybox --install -s /bin
export PATH=/bin HOME=/root
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; mount -t tmpfs run /run; mount -t tmpfs tmp /tmp
for module in /modules/*.ko; do insmod "$module"; done
until [ -c /dev/cuse ]; do sleep 1; done
ddc-monitor 2> /tmp/monitor &
for attempt in $(seq 60); do [ -c /dev/i2c-5 ] && break; sleep 1; done
# The firmware of x86_64 may leave the cursor behind its own text.
echo; echo "=== device"; ls -l /dev/i2c-5

# The graphics card is simulated by files.
card=/tmp/sys/class/drm/card0-HDMI-A-1
mkdir -p $card /tmp/sys/class/drm/card0
echo 226:0 > /tmp/sys/class/drm/card0/dev
echo connected > $card/status; echo enabled > $card/enabled; echo 1920x1080 > $card/modes; echo On > $card/dpms
dd if=/dev/zero of=$card/edid bs=128 count=1 2> /dev/null
ln -s ../../../i2c-5 $card/ddc
export HOSTLER_SYS=/tmp/sys

ifconfig lo up
hostler serve > /tmp/serve 2>&1 &
service=$!
for attempt in $(seq 120); do grep -q 'listening on' /tmp/serve && break; sleep 1; done
# Emulated, a thread takes seconds to start: its data comes with a later reading.
read_until() {
  for attempt in $(seq 60); do
    hostler data displays --json > /tmp/displays 2>&1
    grep -q "$1" /tmp/displays && break
    sleep 1
  done
  tr -d '\n' < /tmp/displays; echo
}
# The command gives the service 1.5 s to answer, and the service its thread 45 s: emulated, on a busy machine, both may be exceeded.
order() {
  for attempt in $(seq 60); do
    hostler display "$@" > /tmp/order 2>&1
    grep -q 'does not answer' /tmp/order || break
    sleep 1
  done
  cat /tmp/order
}
echo "=== first"; read_until '"brightness": *50'
echo "=== brightness"; order brightness 25 --json
echo "=== contrast"; order contrast 33 --json
echo "=== input"; order input HDMI-2 --json
echo "=== off"; order off --json
echo "=== monitor"; sort -u /tmp/monitor
echo "=== served"; tail -n 5 /tmp/serve
kill $service; wait $service
echo "=== end"
poweroff -f
