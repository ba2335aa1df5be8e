import { expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { until } from '../../../test/harness/until.ts';
import { connectCarrier, createDescriptorConnect, createReceived } from './descriptor-socket.ts';

test('descriptors are taken in order, and those that nothing takes are closed above a limit', () => {
  const closed: number[] = [];
  const received = createReceived((descriptor) => closed.push(descriptor));
  for (let first = 0; first < 1000; first += 100)
    received.add(Array.from({ length: 100 }, (_, index) => first + index));
  expect(closed).toHaveLength(936);
  expect([received.take(), received.take()]).toEqual([0, 1]);
  received.add([1000, 1001, 1002]);
  expect(closed.slice(936)).toEqual([1002]);
});

/** Sends without end, in another process, which ends with this one. */
const flood = `
const more = (peer) => { while (peer.write(Buffer.alloc(65536))); };
process.stdin.on('end', () => process.exit()).resume();
require('node:net')
  .createServer((peer) => { peer.on('error', () => {}).on('drain', () => more(peer)); more(peer); })
  .listen(process.argv[1], () => console.log('ready'));
`;

test.each([
  ['polled', connectCarrier],
  ['signalled', createDescriptorConnect({ receives: true, lasting: true }).connect],
])('a server that sends without end does not stop the event loop: %s', async (_name, connect) => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-'));
  const place = path.join(directory, 'socket');
  const child = spawn(process.execPath, ['-e', flood, place], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    await once(child.stdout, 'data');
    let turn = 0;
    const received = [0];
    const data = () => {
      const count = (received[turn] ?? 0) + 1;
      received[turn] = count;
      // There is always more to read, as if reading were slow.
      Bun.sleepSync(1);
      if (count === 200) socket.close();
    };
    const socket = await connect(place, { data, closed: () => {}, descriptors: () => {} }, 'self');
    const timer = setInterval(() => turn++, 1);
    await until(() => received.flat().length >= 5 || Math.max(...received.flat()) >= 200, 'data in several turns');
    clearInterval(timer);
    socket.close();
    expect(Math.max(...received.flat())).toBeLessThanOrEqual(32);
  } finally {
    child.kill();
    fs.rmSync(directory, { recursive: true });
  }
});
