import { expect, test } from 'bun:test';
import { fakeClock, fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { turn } from '../../../test/harness/test-store.ts';
import { ServiceError } from '../../lib/errors.ts';
import { createMeasuring } from './measurements.ts';

function machine() {
  const clock = fakeClock();
  const reads: string[] = [];
  const get = async (name: string) => {
    reads.push(name);
    if (name === 'battery') throw new ServiceError('not_found', 'There is none');
    return { payload: { read: reads.length }, takenAt: clock.monotonic() };
  };
  const service = { store: { get }, modules: [] };
  const measuring = createMeasuring({ service: service as never, host: fakeHost({ clock }), log: fakeContext().log });
  return { clock, reads, measuring };
}

test('the first answer waits for a second reading, so that rates are of this moment', async () => {
  const { clock, reads, measuring } = machine();
  const asked = measuring.take(['networks', 'memory', 'battery']);
  await turn();
  expect(reads).toEqual(['networks', 'memory', 'battery']);
  clock.advance(300);
  const { networks, memory, battery } = await asked;
  expect([networks?.seconds, memory?.seconds, battery]).toEqual([0.3, 0, null]);
});

test('all clients together read a module once a second, and counters grow since the reading before', async () => {
  const { clock, reads, measuring } = machine();
  const first = Promise.all([measuring.take(['disks']), measuring.take(['disks'])]);
  await turn();
  clock.advance(300);
  const [one, other] = await first;
  expect(one.disks).toBe(other.disks as never);
  clock.advance(999);
  expect((await measuring.take(['disks'])).disks).toBe(one.disks as never);
  expect(reads).toHaveLength(2);
  clock.advance(4001);
  const { disks } = await measuring.take(['disks']);
  expect(disks?.seconds).toBe(5);
  expect(disks?.before).toBe(one.disks?.now as never);
});
