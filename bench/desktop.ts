/** What the desktop costs: from a player's change to a client's message, an hour of playback, and without clients. */
import { spawn } from 'node:child_process';
import { createEnvironment } from '../src/host/environment.ts';
import { connectBuses } from '../src/host/linux/dbus/connect-buses.ts';
import { until } from '../test/harness/until.ts';
import { startFakePlayer } from '../test/real/doubles/fake-player.ts';
import { findProgram, needs } from '../test/real/harness/parts.ts';
import { createPrivatePlayers } from '../test/real/harness/players.ts';
import { connectSocket } from '../test/real/harness/socket-client.ts';
import { createPrivateX11, hasXorg } from '../test/real/harness/x11.ts';
import { printTable, verdict } from './harness/figures.ts';
import { availableForms, type Form, pause, startHostler } from './harness/harness.ts';
import { cpuMs, resident, switchesBetween, voluntarySwitches } from './harness/process.ts';

const changes = Number(process.argv[2] ?? 300);
const seconds = Number(process.argv[3] ?? 30);
/** A title every three and a half minutes. */
const titlesAnHour = 17;
const settleSeconds = 35;
/** By then the bus is left, and the runtime has tidied up. */
const leaveSeconds = 55;
const goalMs = 100;
const mprisName = 'org.mpris.MediaPlayer2';
const mpv = { destination: `${mprisName}.mpv`, path: '/org/mpris/MediaPlayer2' };

if (!needs('dbus-daemon', 'mpv', 'playerctl', 'sox', 'flac', '/usr/bin/python3') || !hasXorg()) process.exit(1);
const players = createPrivatePlayers();
const x11 = createPrivateX11('Xorg');
await players.bus.start();
await x11.start();
players.mpv(...players.titles);
await until(() => players.playerctl('status') === 'Playing', 'mpv plays');
const bus = connectBuses(createEnvironment(players.variables)).session;

const stopLater: (() => unknown)[] = [];
const delays: string[][] = [];
const costs: string[][] = [];
try {
  for (const form of availableForms()) await measure(form);
} finally {
  for (const stop of stopLater) await stop();
  bus.close();
  await players.remove();
  await x11.remove();
}
printTable(
  `From the signal of a player to who follows it, ms, ${changes} changes`,
  ['', 'p50', 'p90', 'p99', 'goal', 'reached'],
  delays,
);
printTable('Cost of the desktop', ['', 'CPU ms', 'voluntary context switches', 'resident, MiB'], costs);
process.exit(0);

async function measure(form: Form): Promise<void> {
  const hostler = await startHostler(form, { env: { ...players.variables, DISPLAY: x11.display() } });
  const client = await connectSocket(hostler);
  await client.ask('REGISTER_DATA_LISTENER', { modules: ['media', 'displays'] });
  await until(() => client.messages.some(({ module }) => module === 'media'), 'the first update');
  await pause(500);
  const [ours, theirs] = await delaysOf(client.messages);
  delays.push([hostler.name, ...figures(ours), `< ${goalMs} ms`, verdict((percentile(ours, 99) ?? goalMs) < goalMs)]);
  delays.push(['playerctl --follow', ...figures(theirs), '', '']);

  const row = (what: string, cpu: number, switches: number | null) =>
    costs.push([
      `${hostler.name}: ${what}`,
      cpu.toFixed(1),
      switches === null ? '' : String(switches),
      resident(hostler.pid).total.toFixed(1),
    ]);
  // A young process is busy with itself.
  await pause(settleSeconds * 1000);
  const steady = await during(hostler.pid, seconds);
  const before = cpuMs(hostler.pid);
  const titles = 40;
  for (let title = 0; title < titles; title += 1) {
    await control('Next');
    await pause(150);
  }
  const perTitle = (cpuMs(hostler.pid) - before) / titles;
  row(`${seconds} s of playing, one listener`, steady.cpu, steady.switches);
  row('one change of the title', perTitle, null);
  row('an hour of playing, extrapolated', (steady.cpu * 3600) / seconds + perTitle * titlesAnHour, null);
  await client.ask('UNREGISTER_DATA_LISTENER');
  client.end();
  await pause(leaveSeconds * 1000);
  const idle = await during(hostler.pid, seconds);
  row(`${seconds} s of playing, no client`, idle.cpu, idle.switches);
  await hostler.stop();
}

/** Two lists, in ms from the player's signal: to a client of the service, and to the output of playerctl. */
async function delaysOf(messages: { module?: string; data: unknown }[]): Promise<[number[], number[]]> {
  const player = await startFakePlayer(players.bus.address, 'fake');
  const args = ['--player=fake', '--follow', '--format', '{{volume}}', 'status'];
  const env = players.variables;
  const follow = spawn(findProgram('playerctl') ?? 'playerctl', args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  stopLater.push(() => follow.kill(), player.end);
  const received = new Map<number, number>();
  follow.stdout.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().trim().split('\n')) received.set(Math.round(Number(line) * 100), now());
  });
  await player.announce(news(0, 99));
  await until(() => received.size > 0, 'playerctl follows');
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let change = 0; change < changes; change += 1) {
    const percent = 10 + (change % 80);
    received.clear();
    messages.length = 0;
    const own = arrival(() => messages.some(({ data }) => Object(data).volume === percent));
    const other = arrival(() => received.has(percent));
    const startedAt = await player.announce(news(change, percent));
    ours.push((await own) - startedAt);
    await other;
    theirs.push((received.get(percent) ?? Number.NaN) - startedAt);
    await pause(10);
  }
  for (const stop of stopLater.splice(0)) await stop();
  return [ours, theirs];
}

function news(change: number, percent: number): Record<string, [string, unknown]> {
  const title = ['s', `Title ${change}`];
  return {
    Metadata: ['a{sv}', { 'xesam:title': title }],
    Volume: ['d', percent / 100],
    PlaybackStatus: ['s', 'Playing'],
  };
}

/** Unix milliseconds, to the microsecond. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

/** Checks on every turn of the event loop: the message wakes it. */
async function arrival(there: () => boolean): Promise<number> {
  const end = performance.now() + 10_000;
  while (!there()) {
    if (performance.now() > end) throw new Error('the change was not reported');
    await new Promise((resolve) => setImmediate(resolve));
  }
  return now();
}

async function during(pid: number, length: number): Promise<{ cpu: number; switches: number }> {
  const before = { cpu: cpuMs(pid), switches: voluntarySwitches(pid) };
  await pause(length * 1000);
  return { cpu: cpuMs(pid) - before.cpu, switches: switchesBetween(before.switches, voluntarySwitches(pid)) };
}

function control(member: string): Promise<unknown> {
  return bus.call({ ...mpv, interface: `${mprisName}.Player`, member });
}

function percentile(values: number[], percent: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))];
}

function figures(values: number[]): string[] {
  return [50, 90, 99].map((percent) => (percentile(values, percent) ?? Number.NaN).toFixed(1));
}
