import { expect, test } from 'bun:test';
import { fakeClock } from '../../test/doubles/fake-host.ts';
import { defaultSettings } from '../features/index.ts';
import { isolatedSource, type StartModuleThread, serveThread } from './isolated-source.ts';
import type { Source } from './module.ts';
import { collectReasons } from './reasons.ts';

/** A thread without a thread: the two sides joined by microtasks, messages copied as between real ones. */
function inProcess(source: Source<unknown>): {
  start: StartModuleThread;
  started(): number;
  die(): void;
  ended(): number;
} {
  let started = 0;
  let ended = 0;
  let used = 0;
  let die = () => {};
  return {
    async start(onMessage, lost) {
      started += 1;
      const { receive } = serveThread(
        source,
        (message) => queueMicrotask(() => onMessage(structuredClone(message))),
        () => {},
        () => (used += 4),
      );
      die = () => lost('killed');
      return {
        send: (message) => queueMicrotask(() => void receive(structuredClone(message))),
        end() {
          ended += 1;
        },
      };
    },
    started: () => started,
    ended: () => ended,
    die: () => die(),
  };
}

const settings = () => defaultSettings;

test('payload and reasons arrive as if read in this thread', async () => {
  const thread = inProcess({
    read(reasons) {
      reasons.missing('usage', 'the server does not answer');
      reasons.inherent('label', 'it has none');
      return { usage: null, label: null };
    },
  });
  const source = isolatedSource(thread.start, settings, fakeClock());
  const { reasons, collected } = collectReasons();
  expect(await source.read(reasons)).toEqual({ usage: null, label: null });
  expect(collected).toEqual([
    { field: 'usage', reason: 'the server does not answer', mendable: true },
    { field: 'label', reason: 'it has none', mendable: false },
  ]);
});

test('the CPU time of the thread is reported once for each read', async () => {
  const source = isolatedSource(inProcess({ read: () => ({}) }).start, settings, fakeClock());
  expect(source.cpuElsewhereMs?.()).toBe(0);
  await source.read(collectReasons().reasons);
  expect([source.cpuElsewhereMs?.(), source.cpuElsewhereMs?.()]).toEqual([4, 0]);
});

test('an error in the thread is thrown outside', async () => {
  const thread = inProcess({
    read() {
      throw new Error('stuck');
    },
  });
  const source = isolatedSource(thread.start, settings, fakeClock());
  expect(Promise.resolve(source.read(collectReasons().reasons))).rejects.toThrow('stuck');
});

test('a thread that dies fails its pending reads, and the next read starts another', async () => {
  let hang = true;
  const thread = inProcess({ read: () => (hang ? new Promise(() => {}) : { value: 1 }) });
  const source = isolatedSource(thread.start, settings, fakeClock());
  const lost = Promise.resolve(source.read(collectReasons().reasons)).catch((error: Error) => error.message);
  thread.die();
  expect(await lost).toBe('its thread ended: killed');
  hang = false;
  expect(await source.read(collectReasons().reasons)).toEqual({ value: 1 });
  expect(thread.started()).toBe(2);
});

test('changes are announced through the thread', async () => {
  let announce = () => {};
  const thread = inProcess({
    read: () => ({}),
    watch(changed) {
      announce = changed;
      return () => {
        announce = () => {};
      };
    },
  });
  const source = isolatedSource(thread.start, settings, fakeClock());
  let changes = 0;
  const stop = source.watch?.(() => {
    changes += 1;
  });
  await new Promise((resolve) => setImmediate(resolve));
  announce();
  await new Promise((resolve) => setImmediate(resolve));
  expect(changes).toBe(1);
  stop?.();
});

test('an idle thread is ended', async () => {
  const clock = fakeClock();
  const thread = inProcess({ read: () => ({}) });
  const source = isolatedSource(thread.start, settings, clock);
  await source.read(collectReasons().reasons);
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(30_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect(thread.ended()).toBe(1);
});
