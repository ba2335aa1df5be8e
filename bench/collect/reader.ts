/** For each line with the name of a module on stdin: our reading of it, and the CPU microseconds that and its JSON took. */
import { createInterface } from 'node:readline';
import { startThread } from '../../src/app/threads/start-thread.ts';
import type { Source } from '../../src/core/module.ts';
import { createReading } from '../../src/core/reading.ts';
import { collectReasons } from '../../src/core/reasons.ts';
import { modules } from '../../src/features/index.ts';
import { createLinuxHost } from '../../src/host/linux/create-linux-host.ts';
import { fakeContext } from '../../test/doubles/fake-host.ts';
import { cpuMs } from '../harness/process.ts';

const host = createLinuxHost('6.0.0', startThread);
const context = fakeContext();
const sources = new Map<string, Source<unknown> | null>();

for await (const name of createInterface({ input: process.stdin })) {
  if (!sources.has(name)) sources.set(name, await open(name));
  const source = sources.get(name);
  const begun = cpuMs(process.pid);
  // Not waited for where it is there at once, as the service does it.
  const result = source?.read(collectReasons().reasons);
  const payload = result instanceof Promise ? await result : result;
  const read = cpuMs(process.pid);
  const bytes = Buffer.byteLength(createReading(payload ?? null, [], host.clock).text);
  const json = cpuMs(process.pid) - read;
  process.stdout.write(`${JSON.stringify({ cpu: (read - begun) * 1000, json: json * 1000, bytes })}\n`);
}

async function open(name: string): Promise<Source<unknown> | null> {
  const load = modules.find((module) => module.name === name)?.sources.linux;
  return load === undefined ? null : (await load())(host, context);
}
