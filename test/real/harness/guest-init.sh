#!/bin/busybox sh
# The first process of the virtual machine of guest.ts. What it prints between two lines "=== name" is the answer called name.
/bin/busybox --install -s /bin
export PATH=/bin HOME=/root
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; mount -t tmpfs run /run; mount -t tmpfs tmp /tmp
for module in /modules/*.ko; do insmod "$module"; done
until [ -b /dev/sdc ] && [ -b /dev/nvme0n1 ]; do sleep 1; done
mdadm --create /dev/md0 --run --metadata=1.2 --level=1 --raid-devices=2 --assume-clean /dev/sdb /dev/sdc 2>&1

# Read once an hour: earlier changes were announced. The first minute is for the health of the drives, which is pushed when it is known.
ifconfig lo up
mkdir -p $HOME/.config/hostler
echo '{"modules":{"disks":{"interval":3600000}}}' > $HOME/.config/hostler/settings.json
hostler serve > /tmp/serve 2>&1 &
service=$!
for attempt in $(seq 120); do
  grep -q 'listening on' /tmp/serve && break
  sleep 1
done
hostler data disks --json --watch --fields arrays > /tmp/arrays 2>&1 &
listener=$!
for attempt in $(seq 120); do
  grep -q '"md0"' /tmp/arrays && break
  sleep 1
done
sleep 60
mdadm /dev/md0 --fail /dev/sdc 2>&1
for attempt in $(seq 120); do
  grep -q degraded /tmp/arrays && break
  sleep 1
done
kill $listener
echo "=== pushed"; cat /tmp/arrays
echo "=== served"; tail -n 5 /tmp/serve
kill $service; wait $service
rm -r $HOME/.config/hostler

# The module until a drive has reported its health: emulated, a thread takes seconds to start.
disks() {
  : > /tmp/disks
  hostler data disks --json --watch > /tmp/disks 2>&1 &
  for attempt in $(seq 300); do
    grep -q '"passed"' /tmp/disks && break
    sleep 1
  done
  kill $!
  tail -n 1 /tmp/disks
}

echo "=== smartctl"; smartctl -j -A -H /dev/sda | tr -d '\n'
echo; echo "=== nvme"; nvme smart-log /dev/nvme0n1 -o json | tr -d '\n'
echo; echo "=== awake"; disks
echo 100 > /sys/block/sda/device/power/autosuspend_delay_ms; echo auto > /sys/block/sda/device/power/control
until grep -q suspended /sys/block/sda/device/power/runtime_status; do sleep 1; done
echo "=== asleep"; disks
echo "=== power"; cat /sys/block/sda/device/power/runtime_status
echo "=== end"
poweroff -f
