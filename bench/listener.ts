/** What one WebSocket client costs that listens as Home Assistant does, with either integration, compared with one that names intervals and with none. All in the same minutes. */
import { liveIntervals } from '@hostler/client/events.ts';
import { connectSocket } from '../test/real/harness/socket-client.ts';
import { printTable, verdict } from './harness/figures.ts';
import { availableForms, pause, startHostler } from './harness/harness.ts';
import { cpuMs, resident, switchesBetween, voluntarySwitches } from './harness/process.ts';

const seconds = Number(process.argv[2] ?? 120);
const settleSeconds = 35;
const goalMs = 30;
const modules = ['battery', 'cpu', 'disks', 'displays', 'gpus', 'media', 'memory', 'processes', 'system'];
const form = availableForms().at(-1) ?? 'source';

const clients = {
  'no client': null,
  'as Home Assistant': { modules },
  entities: { modules: ['entities'] },
  'as the dashboard': { modules, interval: liveIntervals },
};
const subjects = [];
for (const [what, listening] of Object.entries(clients)) {
  const hostler = await startHostler(form);
  const client = listening === null ? null : await connectSocket(hostler);
  await client?.ask('REGISTER_DATA_LISTENER', listening);
  subjects.push({ what, hostler, client });
}
await pause(settleSeconds * 1000);
const before = subjects.map(({ hostler: { pid }, client }) => ({
  cpu: cpuMs(pid),
  switches: voluntarySwitches(pid),
  messages: client?.messages.length ?? 0,
}));
await pause(seconds * 1000);
const rows = subjects.map(({ what, hostler: { pid }, client }, index) => {
  const { cpu = 0, switches = new Map(), messages = 0 } = before[index] ?? {};
  const perMinute = (count: number) => (count * 60) / seconds;
  const used = perMinute(cpuMs(pid) - cpu);
  return [
    what,
    used.toFixed(1),
    perMinute(switchesBetween(switches, voluntarySwitches(pid))).toFixed(0),
    perMinute((client?.messages.length ?? 0) - messages).toFixed(0),
    resident(pid).total.toFixed(1),
    what === 'as Home Assistant' ? verdict(used <= goalMs) : '',
  ];
});
printTable(
  `One listener of ${modules.length} modules, hostler ${form}, a minute, after ${settleSeconds} s of rest; measured for ${seconds} s`,
  ['', 'CPU ms', 'voluntary context switches', 'updates', 'resident, MiB', `at most ${goalMs} ms`],
  rows,
);
for (const { hostler, client } of subjects) {
  client?.end();
  await hostler.stop();
}
process.exit(0);
