/**
 * What it costs to follow 500 services, read every 2 s: CPU time of the built service, of systemd and of the bus, beside node_exporter's collector
 * systemd, scraped as often, in the same booted box. `bench/services.ts [units] [seconds] [rounds]`, as root.
 */
import { bootBox, canBoot, type PrivateBox } from '../test/real/harness/box.ts';
import { built, builtInside, startBoxed, succeed } from '../test/real/harness/boxed-service.ts';

const [units = 500, seconds = 60, rounds = 3] = process.argv.slice(2).map(Number);
const exporter = '/usr/bin/prometheus-node-exporter';
const everyMs = 2000;

if (!canBoot(built, exporter, 'systemctl', 'curl')) process.exit(0);

const box = await bootBox({
  binds: [[built, builtInside]],
  prepare(write) {
    for (let n = 0; n < units; n += 1)
      write(`/etc/systemd/system/bench-${n}.service`, '[Service]\nExecStart=/bin/sleep infinity\n');
    write('/var/lib/hostler/config/settings.json', '{"history":{"enabled":false}}\n');
  },
});
try {
  const names = Array.from({ length: units }, (_, n) => `bench-${n}.service`);
  for (let from = 0; from < units; from += 100)
    await succeed(box, ['systemctl', 'start', ...names.slice(from, from + 100)]);
  const flags = ['--collector.disable-defaults', '--collector.systemd', '--web.listen-address=127.0.0.1:9100'];
  await succeed(box, [
    'systemd-run',
    '--quiet',
    '--unit=bench-exporter',
    exporter,
    ...flags,
    '--collector.systemd.enable-restarts-metrics',
    '--collector.systemd.enable-start-time-metrics',
  ]);
  const hostler = await startBoxed(box);
  const token = { 'X-API-Token': hostler.token };
  const ours = async () =>
    void (await (await fetch(`${base(hostler.port)}/api/data/services`, { headers: token })).text());
  const theirs = async () => void (await succeed(box, ['curl', '--silent', 'http://127.0.0.1:9100/metrics']));
  const pids = {
    hostler: await processOf(box, 'hostler-*'),
    exporter: await processOf(box, 'bench-exporter'),
    systemd: 1,
    bus: await processOf(box, 'dbus'),
  };
  for (const warmUp of [ours, theirs]) for (let n = 0; n < 3; n += 1) await warmUp();
  console.log(`| ${units} services, every 2 s for ${seconds} s | itself, ms | systemd, ms | bus, ms | together, ms |`);
  console.log('|---|---|---|---|---|');
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const a = await measure(box, pids, pids.hostler, ours);
    const b = await measure(box, pids, pids.exporter, theirs);
    console.log(row('hostler, GET /api/data/services', a));
    console.log(row('node_exporter, GET /metrics', b));
    ratios.push(a.together / b.together);
    console.log(`ratio: itself ${(a.itself / b.itself).toFixed(3)}, together ${(a.together / b.together).toFixed(3)}`);
  }
  console.log(`median of the ratios, together: ${ratios.sort((a, b) => a - b)[Math.floor(rounds / 2)]?.toFixed(3)}`);
  await hostler.stop();
} finally {
  await box.remove();
}

function base(port: number): string {
  return `http://127.0.0.1:${port}`;
}

interface Spent {
  itself: number;
  systemd: number;
  bus: number;
  together: number;
}

async function measure(
  inside: PrivateBox,
  { systemd, bus }: { systemd: number; bus: number },
  pid: number,
  ask: () => Promise<void>,
): Promise<Spent> {
  const before = await Promise.all([pid, systemd, bus].map((each) => cpuMs(inside, each)));
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    const next = Date.now() + everyMs;
    await ask();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - Date.now())));
  }
  const after = await Promise.all([pid, systemd, bus].map((each) => cpuMs(inside, each)));
  const [itself = 0, ofSystemd = 0, ofBus = 0] = after.map((ms, at) => ms - (before[at] ?? 0));
  return { itself, systemd: ofSystemd, bus: ofBus, together: itself + ofSystemd + ofBus };
}

function row(what: string, { itself, systemd, bus, together }: Spent): string {
  return `| ${[what, ...[itself, systemd, bus, together].map((ms) => ms.toFixed(0))].join(' | ')} |`;
}

async function processOf(inside: PrivateBox, unit: string): Promise<number> {
  const text = await succeed(inside, ['systemctl', 'show', unit, '--property=MainPID', '--value']);
  return Number(text.trim().split('\n')[0]);
}

/** Hundredths of a second (USER_HZ). */
async function cpuMs(inside: PrivateBox, pid: number): Promise<number> {
  const stat = await succeed(inside, ['cat', `/proc/${pid}/stat`]);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
