// Takes the pictures in docs/images: views of the dashboard on a simulated machine.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { ensureWeb } from './build-web.mjs';
import { bunFlags, bunPath, cleanEnvironment, ensureInstalled, root } from './installed.mjs';

ensureInstalled({ dev: true });
ensureWeb();

// Separate processes, network and host name, and the program in a usual place: the pictures show nothing of this machine.
const place = '/opt/hostler';
const set = [
  'hostname studio',
  'ip link set lo up',
  'ip link add eth0 type veth peer name veth-lan && ip addr add 192.168.1.20/24 dev eth0 && ip link set eth0 up && ip link set veth-lan up',
  `mount -t tmpfs none /opt && mkdir ${place} && mount --bind "$1" ${place}`,
].join('; ');
const inside = [
  '--pid',
  '--fork',
  '--mount',
  '--uts',
  '--net',
  '--mount-proc',
  'sh',
  '-c',
  `${set} && cd ${place} && shift && exec "$@"`,
  'sh',
  root,
];
const bun = path.join(place, path.relative(root, bunPath()));
const { status } = spawnSync(
  'unshare',
  [...inside, bun, ...bunFlags, 'scripts/screenshots.ts', ...process.argv.slice(2)],
  {
    stdio: 'inherit',
    env: cleanEnvironment(),
  },
);
if (status !== 0) process.stderr.write('hostler: no pictures; they need Linux, root, unshare, ip and chromium\n');
process.exit(status ?? 1);
