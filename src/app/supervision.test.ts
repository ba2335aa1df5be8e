import { expect, test } from 'bun:test';
import { fakeClock, fakeContext } from '../../test/doubles/fake-host.ts';
import { supervise } from './supervision.ts';

function recordingSupervisor(watchdogMs: number | null) {
  const received: string[] = [];
  const supervisor = {
    watchdogMs,
    ready: (status: string) => void received.push(`ready: ${status}`),
    reloading: () => void received.push('reloading'),
    stopping: () => void received.push('stopping'),
    alive: () => void received.push('alive'),
  };
  return { received, supervisor: async () => supervisor };
}

const { log } = fakeContext();
const turn = () => new Promise((resolve) => setTimeout(resolve, 1));

test('the supervisor is notified of the start, of a reload and its end, and of the stop', async () => {
  const { received, supervisor } = recordingSupervisor(null);
  const reload = async () => void received.push('read');
  const supervised = await supervise(supervisor, fakeClock(), log, { status: 'port 1', reload });
  supervised.reload();
  await turn();
  supervised.stop();
  expect(received).toEqual([
    expect.stringMatching(/^ready: Hostler .* on port 1$/),
    'reloading',
    'read',
    expect.stringMatching(/^ready/),
    'stopping',
  ]);
});

test('the watchdog gets a message twice per interval, and none after the end', async () => {
  const { received, supervisor } = recordingSupervisor(10_000);
  const clock = fakeClock();
  const supervised = await supervise(supervisor, clock, log, { status: '', reload: async () => {} });
  clock.advance(20_000);
  expect(received.filter((word) => word === 'alive')).toHaveLength(5);
  supervised.stop();
  expect(clock.advanceToNext()).toBe(false);
});

test('without a supervisor no timer runs, and a reload works', async () => {
  const clock = fakeClock();
  let reads = 0;
  const reload = async () => {
    reads += 1;
    throw new Error('no');
  };
  const supervised = await supervise(undefined, clock, log, { status: '', reload });
  expect(clock.advanceToNext()).toBe(false);
  supervised.reload();
  supervised.reload();
  await turn();
  expect(reads).toBe(2);
});
