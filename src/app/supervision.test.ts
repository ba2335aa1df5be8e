import { expect, test } from 'bun:test';
import { fakeClock, fakeContext } from '../../test/doubles/fake-host.ts';
import { supervise } from './supervision.ts';

function told(watchdogMs: number | null) {
  const heard: string[] = [];
  const supervisor = {
    watchdogMs,
    ready: (status: string) => void heard.push(`ready: ${status}`),
    reloading: () => void heard.push('reloading'),
    stopping: () => void heard.push('stopping'),
    alive: () => void heard.push('alive'),
  };
  return { heard, supervisor: async () => supervisor };
}

const { log } = fakeContext();
const turn = () => new Promise((resolve) => setTimeout(resolve, 1));

test('it is said what is served, that settings are read again and when that is done, and the end', async () => {
  const { heard, supervisor } = told(null);
  const reload = async () => void heard.push('read');
  const supervised = await supervise(supervisor, fakeClock(), log, { status: 'port 1', reload });
  supervised.reload();
  await turn();
  supervised.stop();
  expect(heard).toEqual([
    expect.stringMatching(/^ready: Hostler .* on port 1$/),
    'reloading',
    'read',
    expect.stringMatching(/^ready/),
    'stopping',
  ]);
});

test('the watchdog is answered twice as often as it wants, and no more after the end', async () => {
  const { heard, supervisor } = told(10_000);
  const clock = fakeClock();
  const supervised = await supervise(supervisor, clock, log, { status: '', reload: async () => {} });
  clock.advance(20_000);
  expect(heard.filter((word) => word === 'alive')).toHaveLength(5);
  supervised.stop();
  expect(clock.advanceToNext()).toBe(false);
});

test('where nobody supervises, no timer runs, and settings are read again all the same', async () => {
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
