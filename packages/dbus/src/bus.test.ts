import { afterEach, expect, test } from 'bun:test';
import { until } from '@hostler/io/testing/until.ts';
// @ts-expect-error this part of it has no types
import wire from 'dbus-native/lib/message.js';
import { createBus } from './bus.ts';
import type { Bus } from './dbus.ts';
import { connectSocket } from './testing/connect-socket.ts';
import { type FakeBus, fakeBus, type Manners } from './testing/fake-bus.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

test('invalid calls are refused before connecting', async () => {
  const bus = createBus(() => {
    throw new Error('must not be called');
  }, connectSocket);
  await expect(bus.call({ ...getId, path: 'x' })).rejects.toMatchObject({ errorName: 'Client.Invalid' });
  await expect(bus.call({ ...getId, body: ['x'] })).rejects.toMatchObject({ errorName: 'Client.Invalid' });
});

test('simultaneous calls share one attempt to connect, and a later call makes another', async () => {
  const [bus, fake] = await against({ answer: (peer) => peer.end() });
  const storm = await Promise.allSettled(Array.from({ length: 500 }, () => bus.call(getId)));
  expect(storm.every(({ status }) => status === 'rejected')).toBeTrue();
  for (let count = 0; count < 200; count++) {
    await expect(bus.call(getId)).rejects.toMatchObject({ errorName: 'Client.NoBus' });
  }
  const calm = fake.connections();
  expect(calm).toBeLessThan(100);
  await until(() => bus.call(getId).then(isTrue, () => fake.connections() > calm), 'another attempt');
});

test('a lost bus is reconnected only while there is a subscription', async () => {
  const [bus, fake] = await against({ later: answerAll });
  await bus.call(getId);
  fake.hangUp();
  await pause(1000);
  expect(fake.connections()).toBe(1);

  const stop = await bus.subscribe({ interface: 'a.b' }, () => {});
  fake.hangUp();
  await until(() => fake.connections() === 3, 'a connection without a call');
  stop();
  fake.hangUp();
  await pause(1000);
  expect(fake.connections()).toBe(3);
});

test('a bus that disconnects during its restart is retried', async () => {
  let isStarting = false;
  const [bus, fake] = await against({
    answer: (peer) => (isStarting ? peer.end() : peer.write('OK 00\r\n')),
    later: answerAll,
  });
  let reconnected = 0;
  bus.onReconnected(() => reconnected++);
  await bus.subscribe({ interface: 'a.b' }, () => {});
  isStarting = true;
  fake.hangUp();
  await until(() => fake.connections() >= 3, 'two attempts that fail');
  isStarting = false;
  await until(() => reconnected === 1, 'the one that works');
});

test('closing a bus also aborts a connection attempt', async () => {
  const [bus, fake] = await against({ answer: () => {} });
  const call = bus.call({ ...getId, timeoutMs: 60_000 });
  call.catch(() => {});
  await until(() => fake.connections() === 1, 'the connection');
  bus.close();
  await expect(call).rejects.toMatchObject({ errorName: 'Client.Disconnected' });
});

const daemon = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
};
const getId = { ...daemon, member: 'GetId' };

async function against(manners: Manners): Promise<[Bus, FakeBus]> {
  const fake = await fakeBus(manners);
  const bus = createBus(() => [{ socket: fake.socket, guid: null, peer: 'self' }], connectSocket);
  ends.push(bus.close, fake.remove);
  return [bus, fake];
}

/** An empty reply to every message in what has arrived. */
const answerAll: NonNullable<Manners['later']> = (peer, data) => {
  let rest = data;
  while (rest.length >= 16) {
    const fields = Math.ceil(rest.readUInt32LE(12) / 8) * 8;
    peer.write(wire.marshall({ type: 2, serial: 9, replySerial: rest.readUInt32LE(8) }));
    rest = rest.subarray(16 + fields + rest.readUInt32LE(4));
  }
};

const isTrue = () => true;

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
