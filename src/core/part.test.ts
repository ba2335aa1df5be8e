import { expect, test } from 'bun:test';
import { fakeHost } from '../../test/doubles/fake-host.ts';
import { createNeutralParts } from '../host/common-parts.ts';
import { definePart, partMade, partOf, setPart } from './part.ts';

function counted() {
  const made: { number: number }[] = [];
  const part = definePart<{ number: number }>({
    name: 'test.counted',
    create() {
      made.push({ number: made.length + 1 });
      return { number: made.length };
    },
    absent: { number: 0 },
  });
  return { part, made };
}

test('a part is created once per host, at first use', async () => {
  const { part, made } = counted();
  const [one, other] = [fakeHost({ isRecording: false }), fakeHost({ isRecording: false })];
  expect(partMade(one, part)).toBeNull();
  expect(made).toEqual([]);
  const [first, again] = await Promise.all([partOf(one, part), partOf(one, part)]);
  expect(again).toBe(first);
  expect(partMade(one, part)).toBe(first);
  expect(partMade(other, part)).toBeNull();
  expect(await partOf(other, part)).toEqual({ number: 2 });
});

test('a recording uses the replacement of the part, also as a copy of a host that has the part', async () => {
  const { part, made } = counted();
  const host = { ...createdHost(), isRecording: false };
  expect(await partOf(host, part)).toEqual({ number: 1 });
  expect(await partOf({ ...host, isRecording: true }, part)).toBe(part.absent);
  expect(made.length).toBe(1);
});

test('a fake host gives the parts that a test sets, and no others', async () => {
  const { part, made } = counted();
  const value = { number: 7 };
  const host = setPart(fakeHost(), part, value);
  expect(await partOf(host, part)).toBe(value);
  expect(partMade(host, part)).toBe(value);
  await expect(partOf(fakeHost(), part)).rejects.toThrow('the test set none with setPart');
  expect(made).toEqual([]);
});

test('a part that can be closed is closed with its host, and only if it was created', async () => {
  const closed: string[] = [];
  const closable = (name: string) =>
    definePart({ name, create: () => ({ close: () => void closed.push(name) }), absent: { close: () => {} } });
  const { closeParts, ...host } = createdHost();
  await partOf(host, closable('test.used'));
  expect(partMade(host, closable('test.unused'))).toBeNull();
  await closeParts();
  expect(closed).toEqual(['test.used']);
});

test('a part that cannot be created fails for all callers, and is not tried again', async () => {
  let tries = 0;
  const part = definePart<null>({
    name: 'test.broken',
    create() {
      tries += 1;
      throw new Error('there is no C library');
    },
    absent: null,
  });
  const host = fakeHost({ isRecording: false });
  await expect(partOf(host, part)).rejects.toThrow('there is no C library');
  await expect(partOf(host, part)).rejects.toThrow('there is no C library');
  expect(partMade(host, part)).toBeNull();
  expect(tries).toBe(1);
});

/** What all platforms have in common. */
function createdHost() {
  const startThread = async () => {
    throw new Error('no thread is needed');
  };
  const parts = createNeutralParts('0', startThread, { searchPath: null, customary: [] }, () => null);
  return Object.assign(parts as ReturnType<typeof fakeHost> & typeof parts, { platform: 'linux' as const });
}
