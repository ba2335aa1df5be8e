/** CPU and memory that pushing to an OTLP collector adds. All subjects run in the same minutes: one that does not push, and one for each interval and encoding. */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { printTable } from './harness/figures.ts';
import { availableForms, type Form, pause, startHostler, temporaryDirectory } from './harness/harness.ts';
import { cpuMs, resident } from './harness/process.ts';

const seconds = Number(process.argv[2] ?? 300);
/** Loading, and the first pushes of a young process, which cost more. */
const settleSeconds = Number(process.argv[3] ?? 70);
const form: Form = availableForms().includes('compiled') ? 'compiled' : 'source';

interface Kind {
  name: string;
  otlp: { interval?: number; encoding?: string };
}

const kinds: Kind[] = [
  { name: 'off', otlp: {} },
  { name: 'every 60 s, protobuf', otlp: { interval: 60, encoding: 'protobuf' } },
  { name: 'every 10 s, protobuf', otlp: { interval: 10, encoding: 'protobuf' } },
  { name: 'every 10 s, JSON', otlp: { interval: 10, encoding: 'json' } },
];

/** By the path, which is the number of the kind. */
const received = new Map<string, { pushes: number; sent: number; bytes: number }>();
const collector = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const body = new Uint8Array(await request.arrayBuffer());
    const index = new URL(request.url).pathname.split('/')[1] ?? '';
    const earlier = received.get(index)?.pushes ?? 0;
    received.set(index, { pushes: earlier + 1, sent: body.length, bytes: gunzipSync(body).length });
    return new Response(null);
  },
});

const subjects = await Promise.all(
  kinds.map(async ({ name, otlp }, index) => {
    const directory = temporaryDirectory();
    const endpoint = name === 'off' ? '' : `http://127.0.0.1:${collector.port}/${index}`;
    fs.mkdirSync(path.join(directory, 'config'), { recursive: true });
    fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify({ otlp: { ...otlp, endpoint } }));
    return { name, hostler: await startHostler(form, { directory }) };
  }),
);
await pause(settleSeconds * 1000);
const before = subjects.map(({ hostler }, index) => ({
  cpu: cpuMs(hostler.pid),
  pushes: received.get(String(index))?.pushes ?? 0,
}));
await pause(seconds * 1000);

const figures = subjects.map(({ name, hostler }, index) => {
  const { pushes = 0, sent = 0, bytes = 0 } = received.get(String(index)) ?? {};
  return {
    name,
    cpu: cpuMs(hostler.pid) - (before[index]?.cpu ?? 0),
    pushes: pushes - (before[index]?.pushes ?? 0),
    memory: resident(hostler.pid),
    sent,
    bytes,
  };
});
const [off] = figures;
printTable(
  `hostler, ${form}, ${seconds} s after ${settleSeconds} s, history on in all of them`,
  ['', 'CPU ms a minute', 'more than off', 'ms a push', 'MiB in RAM (own)', 'more than off', 'KiB, sent'],
  figures.map(({ name, cpu, pushes, memory, sent, bytes }) => {
    const more = cpu - (off?.cpu ?? 0);
    return [
      name,
      ((cpu * 60) / seconds).toFixed(1),
      pushes === 0 ? '' : ((more * 60) / seconds).toFixed(1),
      pushes === 0 ? '' : (more / pushes).toFixed(1),
      `${memory.total.toFixed(1)} (${memory.own.toFixed(1)})`,
      pushes === 0 ? '' : (memory.total - (off?.memory.total ?? 0)).toFixed(1),
      pushes === 0 ? '' : `${(bytes / 1024).toFixed(0)}, ${(sent / 1024).toFixed(1)} sent`,
    ];
  }),
);
for (const { hostler } of subjects) await hostler.stop();
await collector.stop(true);
