import { expect, test } from 'bun:test';
import { fakeClock, fakeHost } from '../doubles/fake-host.ts';
import { readOnce, unexplained } from './machines.ts';

const because = (field: string | null) => ({ field, reason: 'so', mendable: false });

test('a null without a reason is found at any depth', () => {
  const payload = { a: null, b: { c: null, d: 1 }, list: [{ e: 1 }, { e: null }] };
  expect(unexplained(payload, [])).toEqual(['a', 'b.c', 'list[].e']);
  expect(unexplained([{ a: null }], [])).toEqual(['[].a']);
});

test('a reason covers its field and everything below it, and nothing else', () => {
  const payload = { a: null, ab: null, b: { c: null }, list: [{ e: null }] };
  expect(unexplained(payload, [because('a')])).toEqual(['ab', 'b.c', 'list[].e']);
  expect(unexplained(payload, [because('a'), because('ab'), because('b'), because('list')])).toEqual([]);
  expect(unexplained(payload, [because(null)])).toEqual([]);
});

test('a fake host throws for data it was not given, and names it', () => {
  const host = fakeHost();
  expect(() => host.files.text('/proc/stat')).toThrow('host.files was used, but the test gave none');
  expect(() => host.run('/bin/true', [])).toThrow('host.run was used');
});

test('time passes for a source that waits', async () => {
  const clock = fakeClock(1000);
  const read = () => new Promise<number>((resolve) => clock.after(250, () => resolve(clock.now())));
  expect(await readOnce({ read }, clock)).toEqual({ payload: 1250, reasons: [] });
});

test('timers fire in order, and cancelled timers do not', () => {
  const clock = fakeClock();
  const fired: number[] = [];
  clock.after(30, () => fired.push(30));
  clock.after(10, () => fired.push(10));
  clock.after(20, () => fired.push(20))();
  clock.advance(29);
  expect(fired).toEqual([10]);
  clock.advance(1);
  expect(fired).toEqual([10, 30]);
});
