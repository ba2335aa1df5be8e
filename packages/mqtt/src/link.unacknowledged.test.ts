import { expect, test } from 'bun:test';
import { createUnacknowledged } from './link.unacknowledged.ts';

test('the messages in flight respect the receive maximum, and the rest follow in order', async () => {
  const waiting = createUnacknowledged();
  const sent: [what: number, packetId: number][] = [];
  const done = [1, 2, 3, 4].map((what) => waiting.add(2, 0, (packetId) => void sent.push([what, packetId])));
  expect(sent.map(([what]) => what)).toEqual([1, 2]);
  waiting.settle(sent[1]?.[1] ?? 0, null);
  expect(sent.map(([what]) => what)).toEqual([1, 2, 3]);
  for (const [, packetId] of [...sent]) waiting.settle(packetId, null);
  for (const [, packetId] of [...sent]) waiting.settle(packetId, null);
  await Promise.all(done);
  expect(sent.map(([what]) => what)).toEqual([1, 2, 3, 4]);
});

test('a full queue rejects messages until there is room again', async () => {
  const waiting = createUnacknowledged();
  const numbers: number[] = [];
  const send = (packetId: number) => void numbers.push(packetId);
  const queued = Array.from({ length: 1001 }, () => waiting.add(1, 0, send));
  expect(waiting.add(1, 0, send)).rejects.toThrow('Too many messages are not yet acknowledged');
  for (let at = 0; at < queued.length; at++) waiting.settle(numbers[at] ?? 0, null);
  await Promise.all(queued);
  const last = waiting.add(1, 0, send);
  waiting.settle(numbers.at(-1) ?? 0, null);
  await last;
  expect(numbers.length).toBe(1002);
});

test('a queue of large messages is bounded by their size, and one message is always taken', async () => {
  const waiting = createUnacknowledged();
  const numbers: number[] = [];
  const send = (packetId: number) => void numbers.push(packetId);
  const mebibyte = 1024 * 1024;
  // One is on its way, four wait.
  const taken = Array.from({ length: 5 }, () => waiting.add(1, mebibyte, send));
  let refused = '';
  waiting.add(1, 1, send).catch(({ message }: Error) => {
    refused = message;
  });
  await Bun.sleep(0);
  expect(refused).toContain('Too many messages are not yet acknowledged');
  for (let at = 0; at < taken.length; at++) waiting.settle(numbers[at] ?? 0, null);
  await Promise.all(taken);
  const [first, huge] = [waiting.add(1, 0, send), waiting.add(1, 100 * mebibyte, send)];
  for (const at of [5, 6]) waiting.settle(numbers[at] ?? 0, null);
  await Promise.all([first, huge]);
});

test('packet identifiers are never 0, and unique among pending messages', async () => {
  const waiting = createUnacknowledged();
  let pending = 0;
  const lasting = waiting.add(2, 0, (packetId) => {
    pending = packetId;
  });
  for (let round = 0; round < 70_000; round++) {
    let number = 0;
    void waiting.add(2, 0, (packetId) => {
      number = packetId;
    });
    if (number === 0 || number === pending || number > 0xffff) throw new Error(`${number} in round ${round}`);
    waiting.settle(number, null);
  }
  waiting.settle(pending, null);
  await lasting;
});

test('a failed send rejects without blocking later ones; a lost connection rejects all', async () => {
  const waiting = createUnacknowledged();
  const bad = waiting.add(1, 0, () => {
    throw new Error('too long');
  });
  const next = waiting.add(1, 0, () => {});
  const queued = waiting.add(1, 0, () => {});
  expect(bad).rejects.toThrow('too long');
  waiting.fail(new Error('gone'));
  for (const each of [next, queued]) expect(each).rejects.toThrow('gone');
});
