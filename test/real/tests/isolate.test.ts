import { expect, test } from 'bun:test';
import fs from 'node:fs';
import { isolateInThread } from '../../../src/app/threads/isolate.ts';
import { startThread } from '../../../src/app/threads/start-thread.ts';
import { collectReasons } from '../../../src/core/reasons.ts';
import { memory } from '../../../src/features/memory/memory.ts';
import { createClock } from '../../../src/host/clock.ts';
import { fakeContext } from '../../doubles/fake-host.ts';
import { until } from '../harness/service.ts';

const host = { clock: createClock(), startThread };

test('a module read in a real worker thread returns the same as in the main thread, reasons included', async () => {
  const source = await isolateInThread(fakeContext(), host)(memory.module);
  const { reasons, collected } = collectReasons();
  const payload = await source.read(reasons);
  expect((await memory.module.schema()).parse(payload)).toEqual(payload as never);
  expect(collected).toContainEqual({
    field: 'virtual.wired',
    reason: 'Only macOS counts wired memory',
    mendable: false,
  });
  source.close?.();
});

test('a thread that is released ends', async () => {
  const threads = () =>
    fs.readdirSync('/proc/self/task').map((id) => fs.readFileSync(`/proc/self/task/${id}/comm`, 'utf8').trim());
  const workers = () => threads().filter((name) => name === 'Worker').length;
  await until(() => (workers() === 0 ? true : null));
  const source = await isolateInThread(fakeContext(), host)(memory.module);
  await source.read(collectReasons().reasons);
  expect(workers()).toBe(1);
  source.close?.();
  await until(() => (workers() === 0 ? true : null));
});

test('a module unknown to the thread is an error, not a crash', async () => {
  const source = await isolateInThread(fakeContext(), host)({ ...memory.module, name: 'nonsense' });
  expect(Promise.resolve(source.read(collectReasons().reasons))).rejects.toThrow('its thread ended');
});
