import { afterEach, expect, test } from 'bun:test';
import { type ConnectLocal, PeerRefusal } from '@hostler/io/local-socket.ts';
// @ts-expect-error this part of it has no types
import wire from 'dbus-native/lib/message.js';
import fc from 'fast-check';
import { BusError, busDaemon } from './dbus.ts';
import { openBusLink } from './link.ts';
import type { BusMessage } from './message.ts';
import { connectSocket as connect } from './testing/connect-socket.ts';
import { type FakeBus, fakeBus, helloReply, type Manners } from './testing/fake-bus.ts';

const buses: FakeBus[] = [];
afterEach(() => {
  for (const bus of buses.splice(0)) bus.remove();
});

const at = (socket: string) => ({ socket, guid: null, peer: 'self' }) as const;

test('a bus that accepts the connection and stays silent times out', async () => {
  const socket = await socketOf({ answer: () => {} });
  await expectNoBus(openBusLink(at(socket), ignore, connect, { timeoutMs: 50 }), 'sent nothing for 50 ms');
});

test('a bus that stays silent after the handshake times out', async () => {
  const socket = await socketOf({ hello: () => {} });
  await expectNoBus(openBusLink(at(socket), ignore, connect, { timeoutMs: 50 }), socket);
});

test('a bus that disconnects during the handshake is an error', async () => {
  const socket = await socketOf({ answer: (peer) => peer.end() });
  await expectNoBus(openBusLink(at(socket), ignore, connect), 'hung up');
});

test('a bus that rejects the authentication is an error', async () => {
  const socket = await socketOf({ answer: (peer) => peer.write('REJECTED EXTERNAL\r\n') });
  await expectNoBus(openBusLink(at(socket), ignore, connect), 'REJECTED');
});

test('a bus that refuses Hello is an error', async () => {
  const refusal = { type: 3, serial: 1, replySerial: 1, errorName: 'org.example.Full' };
  const socket = await socketOf({ hello: (peer) => peer.write(wire.marshall(refusal)) });
  await expectNoBus(openBusLink(at(socket), ignore, connect), 'org.example.Full');
});

test('an invalid socket path is an error', async () => {
  await expectNoBus(openBusLink(at(`/${'long/'.repeat(100)}bus`), ignore, connect), 'cannot be reached');
});

const nonsense: [string, Buffer][] = [
  ['bytes that are no message', Buffer.from('HTTP/1.1 200 OK\r\n\r\n')],
  ['a message of an unknown version', withByte(someSignal(), 3, 2)],
  ['a message that claims 4 GB', withByte(someSignal(), 7, 0xff)],
  ['an answer whose values are not what its signature says', damagedReply()],
  ['a message with descriptors that were not sent', withDescriptors()],
];

for (const [name, bytes] of nonsense) {
  test(`${name} ends the connection and its pending calls, not the process`, async () => {
    const socket = await socketOf({ hello: (peer) => peer.write(helloReply), later: (peer) => peer.write(bytes) });
    const ended = Promise.withResolvers<void>();
    const link = await openBusLink(at(socket), { ...ignore, onEnded: () => ended.resolve() }, connect);
    const call = link.request({ ...busDaemon, member: 'GetId' }, 60_000);
    await expect(call).rejects.toThrow(expect.objectContaining({ errorName: 'Client.Disconnected' }));
    await ended.promise;
    await expect(link.request({ ...busDaemon, member: 'GetId' }, 60_000)).rejects.toThrow(BusError);
  });
}

test.each<[string, Buffer]>([
  ['a string that is longer than its message', withByte(someSignal(), someSignal().length - 10, 0xff)],
  ['an array of empty structs, which has no end', someSignal('a()')],
  ['an array of structs of empty structs', someSignal('a(())')],
])('a signal with %s is dropped, and the connection stays open', async (_name, bytes) => {
  const reply = wire.marshall({ type: 2, serial: 9, replySerial: 2, signature: 's', body: ['id'] });
  const socket = await socketOf({
    hello: (peer) => peer.write(helloReply),
    later: (peer) => peer.write(Buffer.concat([bytes, reply])),
  });
  const link = await openBusLink(at(socket), ignore, connect);
  expect(await link.request({ ...busDaemon, member: 'GetId' }, 60_000)).toEqual(['id']);
  link.end();
});

test('a damaged message affects the connection only', async () => {
  const original = someSignal();
  const damage = fc.array(fc.tuple(fc.nat(original.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 });
  const goodbye = wire.marshall({ type: 4, serial: 9, path: '/', interface: 'a.b', member: 'Goodbye' });
  await fc.assert(
    fc.asyncProperty(damage, async (changes) => {
      const bytes = changes.reduce((message, [at, value]) => withByte(message, at, value), original);
      const done = Promise.withResolvers<void>();
      const socket = await socketOf({
        hello: (peer) => peer.write(helloReply),
        later: (peer) => peer.end(Buffer.concat([bytes, goodbye])),
      });
      const link = await openBusLink(at(socket), { ...ignore, onEnded: () => done.resolve() }, connect);
      link.request({ ...busDaemon, member: 'GetId' }, 60_000).catch(() => {});
      await done.promise;
    }),
    { numRuns: 60 },
  );
});

test('replies without a call are ignored', async () => {
  const strange = [
    { type: 2, serial: 2, replySerial: 77 },
    { type: 3, serial: 3, replySerial: 78, errorName: 'a.b' },
    { type: 2, serial: 4, replySerial: 2, signature: 's', body: ['id'] },
  ];
  const socket = await socketOf({
    hello: (peer) => peer.write(helloReply),
    later: (peer) => peer.write(Buffer.concat(strange.map((message) => wire.marshall(message)))),
  });
  const link = await openBusLink(at(socket), ignore, connect);
  expect(await link.request({ ...busDaemon, member: 'GetId' }, 60_000)).toEqual(['id']);
  link.end();
});

test('replies and signals are parsed in whatever pieces they arrive', async () => {
  const reply = wire.marshall({ type: 2, serial: 4, replySerial: 2, signature: 'as', body: [['a', 'b']] });
  const stream = Buffer.concat([someSignal(), reply]);
  const socket = await socketOf({
    hello: (peer) => peer.write(helloReply),
    async later(peer) {
      for (const byte of stream) {
        peer.write(Buffer.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  });
  const received: unknown[] = [];
  const onSignal = ({ member, body }: BusMessage) => void received.push([member, body]);
  const link = await openBusLink(at(socket), { ...ignore, onSignal }, connect);
  expect(await link.request({ ...busDaemon, member: 'GetId' }, 60_000)).toEqual([['a', 'b']]);
  expect(received).toEqual([['C', ['first', 'second']]]);
  link.end();
});

test('a late reply is not parsed', async () => {
  let asked = 0;
  const reply = wire.marshall({ type: 2, serial: 5, replySerial: 3, signature: 's', body: ['id'] });
  const socket = await socketOf({
    hello: (peer) => peer.write(helloReply),
    later: (peer) => ++asked === 2 && peer.write(Buffer.concat([damagedReply(), reply])),
  });
  const link = await openBusLink(at(socket), ignore, connect);
  const late = link.request({ ...busDaemon, member: 'GetId' }, 20);
  await expect(late).rejects.toMatchObject({ errorName: 'Client.Timeout' });
  expect(await link.request({ ...busDaemon, member: 'GetId' }, 60_000)).toEqual(['id']);
  link.end();
});

test('a reply and a signal of more than 16 MiB are skipped, and the connection stays open', async () => {
  const long = (message: object): Buffer[] => {
    const start: Buffer = wire.marshall({ ...message, signature: 'ay', body: [[]] });
    const bytes = 17 * 1024 * 1024;
    start.writeUInt32LE(4 + bytes, 4);
    start.writeUInt32LE(bytes, start.length - 4);
    return [start, Buffer.alloc(bytes, 0x42)];
  };
  const signal = { type: 4, serial: 5, path: '/a', interface: 'a.b', member: 'Long', sender: ':1.9' };
  const reply = wire.marshall({ type: 2, serial: 6, replySerial: 3, signature: 's', body: ['id'] });
  let asked = 0;
  const socket = await socketOf({
    hello: (peer) => peer.write(helloReply),
    later(peer) {
      asked += 1;
      if (asked === 1) peer.write(Buffer.concat([...long(signal), ...long({ type: 2, serial: 5, replySerial: 2 })]));
      else peer.write(Buffer.concat([someSignal(), reply]));
    },
  });
  const received: unknown[] = [];
  const onSignal = ({ member }: BusMessage) => void received.push(member);
  const link = await openBusLink(at(socket), { ...ignore, onSignal }, connect);
  const first = link.request({ ...busDaemon, member: 'GetId' }, 60_000);
  await expect(first).rejects.toMatchObject({ errorName: 'Client.TooLong' });
  expect(link.isOpen).toBe(true);
  expect(await link.request({ ...busDaemon, member: 'GetId' }, 60_000)).toEqual(['id']);
  expect(received).toEqual(['C']);
  link.end();
});

test('a reply and a signal with too many values are skipped, and the connection stays open', async () => {
  const many = (values: number, message: object): Buffer =>
    wire.marshall({ ...message, signature: 'aq', body: [new Array(values).fill(7)] });
  const signal = { type: 4, path: '/a', interface: 'a.b', sender: ':1.9' };
  let asked = 0;
  const socket = await socketOf({
    hello: (peer) => peer.write(helloReply),
    later(peer) {
      const reply = { type: 2, serial: 9, replySerial: ++asked + 1 };
      const messages = [many(20_000, { ...signal, serial: 5, member: 'Many' }), many(100_000, reply)];
      if (asked === 2)
        messages.splice(0, 2, many(19_999, { ...signal, serial: 5, member: 'Most' }), many(99_999, reply));
      peer.write(Buffer.concat(messages));
    },
  });
  const received: unknown[] = [];
  const onSignal = ({ member, body }: BusMessage) => void received.push([member, Object(body[0]).length]);
  const link = await openBusLink(at(socket), { ...ignore, onSignal }, connect);
  const first = link.request({ ...busDaemon, member: 'GetId' }, 60_000);
  await expect(first).rejects.toThrow('with more than 16 MiB or 100,000 values, which were not read');
  expect(link.isOpen).toBe(true);
  const [values] = await link.request({ ...busDaemon, member: 'GetId' }, 60_000);
  expect(values).toHaveLength(99_999);
  expect(received).toEqual([['Most', 19_999]]);
  link.end();
});

/** Reads each body, as a subscriber to everything would. */
const ignore = {
  onSignal: ({ body }: BusMessage) => void body,
  onEnded: () => {},
  closing: new AbortController().signal,
};

async function socketOf(manners: Manners): Promise<string> {
  const bus = await fakeBus(manners);
  buses.push(bus);
  return bus.socket;
}

async function expectNoBus(opening: Promise<unknown>, text: string): Promise<void> {
  await expect(opening).rejects.toThrow(expect.objectContaining({ errorName: 'Client.NoBus' }));
  await expect(opening).rejects.toThrow(text);
}

/** A signal of two strings; with another signature over the same bytes where one is given. */
function someSignal(signature?: string): Buffer {
  const message = { type: 4, serial: 5, path: '/a', interface: 'a.b', member: 'C', sender: ':1.9' };
  if (signature === undefined) return wire.marshall({ ...message, signature: 'ss', body: ['first', 'second'] });
  // Written as an array of bytes, then renamed: the library cannot write an array of empty structures.
  const placeholder = `a${'y'.repeat(signature.length - 1)}`;
  const body = [new Uint8Array(64), ...Array.from({ length: signature.length - 2 }, () => 0)];
  const bytes: Buffer = wire.marshall({ ...message, signature: placeholder, body });
  bytes.write(signature, bytes.indexOf(placeholder), 'latin1');
  return bytes;
}

/** To the first call after Hello: a string that is longer than its message. */
function damagedReply(): Buffer {
  const reply: Buffer = wire.marshall({ type: 2, serial: 5, replySerial: 2, signature: 's', body: ['text'] });
  return withByte(reply, reply.length - 9, 99);
}

function withDescriptors(): Buffer {
  const message = { type: 2, serial: 5, replySerial: 2, signature: 'h', body: [0] };
  return wire.marshall({ ...message, fds: [0] });
}

function withByte(message: Buffer, at: number, value: number): Buffer {
  const changed = Buffer.from(message);
  changed[at] = value;
  return changed;
}

test('a bus of another user is refused, and the error names its owner', async () => {
  const refuse: ConnectLocal = async () => {
    throw new PeerRefusal('the server at /tmp/bus belongs to user eve (1002), not to this user (ann); it is not used');
  };
  const peers: string[] = [];
  const noting: ConnectLocal = async (path, events, peer) => {
    peers.push(peer);
    return await refuse(path, events, peer);
  };
  await expect(openBusLink(at('/tmp/bus'), ignore, noting)).rejects.toThrow(
    'D-Bus cannot be reached: the server at /tmp/bus belongs to user eve (1002), not to this user (ann); it is not used.',
  );
  expect(peers).toEqual(['self']);
});
