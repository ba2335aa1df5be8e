#!/bin/busybox sh
# The first process of the virtual machine with radios of guest.ts. What it prints between two lines "=== name" is the answer called name.
/bin/busybox --install -s /bin
export PATH=/bin HOME=/root
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; mount -t tmpfs run /run; mount -t tmpfs tmp /tmp
for module in /modules/*.ko; do
  case $module in
    *mac80211_hwsim.ko) insmod "$module" radios=3 ;;
    *) insmod "$module" ;;
  esac
done
until [ -e /sys/class/net/wlan2 ]; do sleep 1; done
mkdir -p /etc /tmp/nobody
echo 'root:x:0:0::/root:/bin/sh
nobody:x:65534:65534::/tmp/nobody:/bin/sh' > /etc/passwd
chmod 1777 /tmp; chown 65534:65534 /tmp/nobody; mkdir -p /root
# Of the program itself: this shell would use the one of busybox.
/bin/ip link set lo up

# One service of root, and one of an ordinary user: emulated, each takes half a minute to start.
serve() {
  place=$1 port=$2
  shift 2
  HOME=$place "$@" hostler serve --host 127.0.0.1 --port $port > $place/serve 2>&1 &
}
serve /root 9170
serve /tmp/nobody 9171 /bin/setpriv --reuid=65534 --regid=65534 --clear-groups
for place in /root /tmp/nobody; do
  for attempt in $(seq 300); do
    grep -q 'The token is in' $place/serve && break
    sleep 1
  done
done

# The module, once it contains this; a slow answer is the previous one.
networks() {
  place=${2:-/root} port=${3:-9170}
  for attempt in $(seq 100); do
    wget -q -O /tmp/networks --header "X-API-Token: $(cat $place/.local/state/hostler/token)" \
      http://127.0.0.1:$port/api/data/networks && grep -q "$1" /tmp/networks && break
    sleep 1
  done
  cat /tmp/networks
  echo
}

# Café, an escape sequence, and a bidirectional control character.
ssid=436166c3a91b5b33316de280ae
# The access point on wlan0, and wlan1 that connects to it: the configuration of both.
connect() {
  printf 'interface=wlan0\ndriver=nl80211\nssid2=%s\nhw_mode=%s\nchannel=%s\n%s\n' "$ssid" "$3" "$4" "$1" > /tmp/point
  printf 'network={\nssid=%s\n%s\n}\n' "$ssid" "$2" > /tmp/station
  hostapd -B -P /tmp/point.pid /tmp/point > /tmp/hostapd 2>&1 || cat /tmp/hostapd
  wpa_supplicant -B -P /tmp/station.pid -i wlan1 -D nl80211 -c /tmp/station > /tmp/supplicant 2>&1 || cat /tmp/supplicant
  for attempt in $(seq 120); do
    iw dev wlan1 station dump | grep -q 'authorized:.*yes' && break
    sleep 1
  done
}
disconnect() {
  kill "$(cat /tmp/station.pid)" "$(cat /tmp/point.pid)"
  while [ -e /tmp/station.pid ] || [ -e /tmp/point.pid ]; do sleep 1; done
}

echo "=== alone"; networks wlan1
psk='psk="correct horse battery"'
connect 'wpa=2
wpa_key_mgmt=WPA-PSK
rsn_pairwise=CCMP
wpa_passphrase=correct horse battery' "$psk" g 6
echo "=== iw"; iw dev wlan1 link
echo "=== wpa2"; networks '"security":"wpa2'
echo "=== ordinary"; networks '"security":"wpa' /tmp/nobody 9171
disconnect
connect 'wpa=2
wpa_key_mgmt=SAE
rsn_pairwise=CCMP
ieee80211w=2
wpa_passphrase=correct horse battery' "key_mgmt=SAE
ieee80211w=2
$psk" g 11
echo "=== wpa3"; networks '"security":"wpa3'
disconnect
connect '' 'key_mgmt=NONE' g 1
echo "=== open"; networks '"security":"open'
disconnect

/bin/ip link add wg0 type wireguard
/bin/ip link add xfrm0 type xfrm dev lo if_id 7
/bin/ip tuntap add dev tun0 mode tun
/bin/ip tuntap add dev tap0 mode tap
/bin/ip link set wg0 up
echo "=== vpns"; networks tun0
for card in /sys/class/net/*/device/driver; do
  name=$(echo "$card" | cut -d / -f 5)
  case $name in eth*) ethtool -s "$name" wol g 2> /dev/null; echo "=== $name"; ethtool "$name" 2>&1 ;; esac
done
# The wake settings of a card are read once a minute.
echo "=== wake"; networks '"active":\["magic"\]'
echo "=== end"
poweroff -f
