// Variations of the machine that the tests run on. Each prepares a copy of the checkout before its tests run.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import path from 'node:path';

/**
 * `where`: the path of the copy; in the scratch directory unless given. `shell`: commands run before the tests, which
 * end everything they started. `prepare` returns how to undo it. `through`: a program that starts them. `times`: in the same copy.
 */
export const variations = [
  { name: 'plain', what: 'nothing is different' },
  { name: 'user', what: 'an ordinary user, made for this', needsRoot: true, prepare: temporaryUser },
  { name: 'short-path', what: 'the path of the checkout has 4 characters', needsRoot: true, where: shortPath },
  { name: 'long-path', what: 'the path of the checkout has 150 characters, and a space', where: longPath },
  {
    name: 'locale',
    what: 'German, in Kolkata',
    env: { LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8', TZ: 'Asia/Kolkata' },
    // If the locale is not installed it is generated, if its source exists.
    shell: `
      if ! locale -a | grep -qi '^de_DE.utf' && [ -e /usr/share/i18n/locales/de_DE ]; then
        export LOCPATH="$SCRATCH/locale" && mkdir "$LOCPATH" && localedef -i de_DE -f UTF-8 "$LOCPATH/de_DE.UTF-8"
      fi`,
  },
  {
    name: 'no-ipv6',
    what: 'a network without IPv6, and with no other machine in it',
    needsRoot: true,
    through: ['unshare', '--net'],
    shell: 'ip link set lo up; for file in /proc/sys/net/ipv6/conf/*/disable_ipv6; do echo 1 > "$file"; done',
  },
  { name: 'one-cpu', what: 'one processor', through: ['taskset', '--cpu-list', '0'] },
  {
    name: 'load',
    what: 'twice as many busy programs as processors',
    shell: 'for each in $(seq $(($(nproc) * 2))); do sh -c "while :; do :; done" & done',
  },
  {
    name: 'neighbours',
    what: 'programs of other users, a desktop session, 200 mounts',
    needsRoot: true,
    through: ['unshare', '--mount', '--propagation', 'private'],
    shell: neighbours(),
  },
  { name: 'shuffle', what: 'the test files in another order', shuffle: true },
  { name: 'three-times', what: 'three times in a row', times: 3 },
];

function neighbours() {
  return `
    mounts="$SCRATCH/mounts" && mkdir "$mounts" && mount -t tmpfs tmpfs "$mounts"
    for each in $(seq 200); do
      mkdir "$mounts/a mount $each" && mount -t tmpfs -o size=64k "neighbour $each" "$mounts/a mount $each"
    done
    for user in nobody daemon games; do for each in 1 2 3 4 5; do runuser -u $user -- sleep 100000 & done; done
    cp /bin/sleep "$SCRATCH/a program) R 1 (" && runuser -u nobody -- "$SCRATCH/a program) R 1 (" 100000 &
    export XDG_RUNTIME_DIR="$SCRATCH/run" DISPLAY=:997 && mkdir -m 700 "$XDG_RUNTIME_DIR"
    export DBUS_SESSION_BUS_ADDRESS="unix:path=$XDG_RUNTIME_DIR/bus"
    dbus-daemon --session --nofork --address="$DBUS_SESSION_BUS_ADDRESS" &
    Xvfb $DISPLAY -nolisten tcp &
    sleep 2`;
}

/** Directly below the root of the file system, as in a container. */
function shortPath() {
  for (;;) {
    const place = `/${randomBytes(2).toString('hex').slice(0, 3)}`;
    if (!existsSync(place)) return place;
  }
}

function longPath(scratch) {
  const start = `${scratch}/a long way/`;
  return `${start}${'so '.repeat(50)}`.slice(0, 148).trimEnd().padEnd(150, 'x');
}

function temporaryUser({ scratch }) {
  const user = `hostler-${randomBytes(4).toString('hex')}`;
  const home = mkdtempSync(path.join(scratch, 'home-'));
  const made = spawnSync('useradd', ['--home-dir', home, '--no-create-home', '--shell', '/bin/sh', user], {
    stdio: 'inherit',
  });
  if (made.status !== 0) throw new Error(`useradd ended with ${made.status}`);
  mkdirSync(path.join(home, '.npm'));
  spawnSync('chown', ['-R', `${user}:`, home]);
  return {
    user,
    env: { HOME: home, USER: user, LOGNAME: user, npm_config_cache: path.join(home, '.npm') },
    through: ['runuser', '-u', user, '--'],
    undo: () => void spawnSync('userdel', [user], { stdio: ['ignore', 'ignore', 'inherit'] }),
  };
}
