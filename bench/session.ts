/** What one listener costs on a quiet desktop, compared with no client and a WebSocket without requests. All of them in the same minute. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createPrivateBus } from '../test/real/harness/bus.ts';
import { needs } from '../test/real/harness/parts.ts';
import { connectSocket, type SocketClient } from '../test/real/harness/socket-client.ts';
import { createPrivateWayland } from '../test/real/harness/wayland.ts';
import { createPrivateX11 } from '../test/real/harness/x11.ts';
import { printTable, verdict } from './harness/figures.ts';
import { availableForms, pause, type RunningHostler, startHostler, temporaryDirectory } from './harness/harness.ts';
import { cpuMs, resident, switchesBetween, voluntarySwitches } from './harness/process.ts';

const seconds = Number(process.argv[2] ?? 60);
const wanted = process.argv[3]?.split(',') ?? ['none', 'socket', 'custom', 'session', 'displays', 'clipboard'];
/** A new process has work of its own. After 75 s and 155 s it looks up logind again, which these buses lack and a desktop has: measure in between. */
const settleSeconds = 83;
const goalMs = 5;

if (!needs('sway', 'Xvfb', 'dbus-daemon')) process.exit(1);
// A desktop is quiet where no other X server starts: as root, hide the sockets of others.
const alone = 'HOSTLER_BENCH_ALONE';
if (process.getuid?.() === 0 && process.env[alone] === undefined) {
  const hide = 'mkdir -p /tmp/.X11-unix && mount -t tmpfs -o mode=1777 none /tmp/.X11-unix && exec "$0" "$@"';
  const command = ['-m', '/bin/sh', '-c', hide, process.execPath, ...process.argv.slice(1)];
  const { status } = spawnSync('unshare', command, { stdio: 'inherit', env: { ...process.env, [alone]: '1' } });
  process.exit(status ?? 1);
}
// Otherwise the directory of the bus lies in a world-writable one, which is watched for it, unlike in a real session.
const place = temporaryDirectory();
// Where this is root, sway is another user.
fs.chmodSync(place, 0o755);
process.env.TMPDIR = place;
const system = createPrivateBus({ forEverybody: true });
await system.start();
const wayland = createPrivateWayland('sway');
await wayland.start();
const x11 = createPrivateX11('Xvfb');
await x11.start();
const form = availableForms().at(-1) ?? 'source';
const runtime = wayland.variables.XDG_RUNTIME_DIR ?? '';
const buses = {
  DBUS_SYSTEM_BUS_ADDRESS: system.address,
  DBUS_SESSION_BUS_ADDRESS: wayland.variables.DBUS_SESSION_BUS_ADDRESS ?? '',
};
const socket = fs.readdirSync(runtime).find((name) => /^wayland-\d+$/.test(name)) ?? '';
const desktops: Record<string, Record<string, string>> = {
  sway: { ...buses, WAYLAND_DISPLAY: path.join(runtime, socket) },
  Xvfb: { ...buses, DISPLAY: x11.display() },
};

interface Subject {
  what: string;
  hostler: RunningHostler;
  client: SocketClient | null;
}

const labels: Record<string, string> = { none: 'no client', socket: 'a WebSocket without requests' };
const rows: string[][] = [];
try {
  for (const [desktop, env] of Object.entries(desktops)) {
    const subjects: Subject[] = [];
    for (const what of wanted) subjects.push(await startSubject(what, env));
    await pause(settleSeconds * 1000);
    const before = subjects.map(({ hostler: { pid } }) => ({ cpu: cpuMs(pid), switches: voluntarySwitches(pid) }));
    await pause(seconds * 1000);
    const after = subjects.map(({ hostler: { pid } }) => ({ cpu: cpuMs(pid), switches: voluntarySwitches(pid) }));
    const costs = subjects.map((_, index) => ((after[index]?.cpu ?? 0) - (before[index]?.cpu ?? 0)) * (60 / seconds));
    const connected = costs[wanted.indexOf('socket')];
    for (const [index, { what, hostler, client }] of subjects.entries()) {
      const cost = costs[index] ?? Number.NaN;
      const listens = !['none', 'socket'].includes(what);
      const more = listens && connected !== undefined ? cost - connected : null;
      const woken = switchesBetween(before[index]?.switches ?? new Map(), after[index]?.switches ?? new Map());
      rows.push([
        `${desktop}: ${labels[what] ?? `one listener of \`${what}\``}`,
        cost.toFixed(1),
        more?.toFixed(1) ?? '',
        String(Math.round((woken * 60) / seconds)),
        resident(hostler.pid).total.toFixed(1),
        what === 'session' ? verdict(cost <= goalMs) : '',
      ]);
      client?.end();
      await hostler.stop();
    }
  }
} finally {
  await x11.remove();
  await wayland.remove();
  await system.remove();
}
printTable(
  `A minute on a quiet desktop, hostler ${form}, history off, after ${settleSeconds} s of rest; measured for ${seconds} s`,
  ['', 'CPU ms', 'more than the socket', 'voluntary context switches', 'resident, MiB', `at most ${goalMs} ms`],
  rows,
);
process.exit(0);

async function startSubject(what: string, env: Record<string, string>): Promise<Subject> {
  const directory = temporaryDirectory();
  // The recorder samples every 15 s, with or without clients.
  fs.mkdirSync(path.join(directory, 'config'));
  fs.writeFileSync(path.join(directory, 'config', 'settings.json'), '{"version":1,"history":{"enabled":false}}');
  const hostler = await startHostler(form, { directory, env });
  if (what === 'none') return { what, hostler, client: null };
  const client = await connectSocket(hostler);
  if (what === 'socket') await client.ask('GET_DATA', { module: 'memory' });
  else {
    await client.ask('REGISTER_DATA_LISTENER', { modules: [what] });
    await client.until(({ module }) => module === what, `the first update of ${what}`);
  }
  return { what, hostler, client };
}
