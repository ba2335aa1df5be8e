import { expect, test } from 'bun:test';
// @ts-expect-error this part of it has no types
import reference from 'dbus-native/lib/message.js';
import fc from 'fast-check';
import { BusError } from './dbus.ts';
import { createFrames } from './frames.ts';
import { matches } from './match.ts';
import { extentOf, kinds, readMessage, writeMessage } from './message.ts';
import { bodies } from './testing/dbus-values.ts';
import { wrap } from './wrap.ts';

const fields = {
  path: '/a/b',
  interface: 'org.example.Thing',
  member: 'Changed',
  errorName: 'org.example.Error',
  replySerial: 7,
  destination: 'org.example',
  sender: ':1.5',
};
const some = fc.record(Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, fc.constant(value)])), {
  requiredKeys: [],
});

test('messages equal those of the reference implementation, and both are read', () => {
  fc.assert(
    fc.property(some, bodies(), fc.integer({ min: 1, max: 0xffff_ffff }), (fields, { signature, values }, serial) => {
      const given = { ...fields, ...(signature === '' ? {} : { signature }) };
      const body = wrap(
        signature,
        values.map((value) => value.given),
      );
      const ours = writeMessage(kinds.signal, serial, { ...given, body });
      const theirs: Buffer = reference.marshall({
        ...given,
        type: 4,
        serial,
        body: values.map((value) => value.reference),
      });
      expect(Buffer.from(ours).toString('hex')).toBe(theirs.toString('hex'));
      expect(extentOf(ours).whole).toBe(ours.length);
      const message = readMessage(ours);
      expect(message).toMatchObject({ ...given, kind: 4, flags: 0, serial, descriptors: 0 });
      expect(message.body).toEqual(values.map((value) => value.plain));
    }),
    { numRuns: 200 },
  );
});

test('a message in the other byte order is read as well', () => {
  const hex = [
    '42 04 01 01 00000006 00000009 00000025',
    '01 01 6f 00 00000002 2f61 00 0000000000',
    '08 01 67 00 01 73 00 00',
    '09 01 75 00 00000002 4d 01 79 00 03 000000',
    '00000001 78 00',
  ];
  const bytes = Buffer.from(hex.join('').replaceAll(' ', ''), 'hex');
  expect(extentOf(bytes).whole).toBe(bytes.length);
  const message = readMessage(bytes);
  expect(message).toMatchObject({ kind: 4, flags: 1, serial: 9, path: '/a', signature: 's', descriptors: 2 });
  expect(message.body).toEqual(['x']);
});

test('a body is parsed on first access, and a match accesses it only where the header fits', () => {
  const bytes = writeMessage(kinds.signal, 1, { ...fields, signature: 's', body: new Uint8Array([255, 0, 0, 0]) });
  const message = readMessage(bytes);
  const about = { interface: fields.interface, arg0: 'x' };
  expect(matches({ ...about, member: 'Other' }, message, () => null)).toBeFalse();
  expect(matches({ ...about, sender: ':1.6' }, message, () => null)).toBeFalse();
  expect(matches({ interface: fields.interface }, message, () => null)).toBeTrue();
  expect(() => matches(about, message, () => null)).toThrow(BusError);
  expect(() => message.body).toThrow(BusError);
});

test('fields of a wrong type and unknown fields are ignored', () => {
  const bytes = Buffer.from(writeMessage(kinds.signal, 1, { path: '/a', member: 'Named' }));
  const numbered = bytes.indexOf('Named') - 8;
  expect(bytes[numbered]).toBe(3);
  bytes[numbered] = 99;
  expect(readMessage(bytes)).toMatchObject({ path: '/a', member: undefined });
  bytes[numbered] = 5;
  expect(readMessage(bytes)).toMatchObject({ path: '/a', replySerial: undefined });
});

const nothing = { received: () => {}, skipped: () => {} };

test('a message is read in whatever pieces it arrives', () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 });
  fc.assert(
    fc.property(fc.array(bodies(), { maxLength: 4 }), cuts, (contents, sizes) => {
      const sent = contents.map(({ signature, values }, index) => {
        const given = values.map((value) => value.given);
        return writeMessage(kinds.signal, index + 1, { path: '/a', signature, body: wrap(signature, given) });
      });
      const stream = Buffer.concat(sent);
      const received: string[] = [];
      const push = createFrames({ ...nothing, received: (bytes) => received.push(Buffer.from(bytes).toString('hex')) });
      for (let at = 0, round = 0; at < stream.length; round++) {
        const size = sizes[round % sizes.length] ?? 1;
        push(stream.subarray(at, at + size));
        at += size;
      }
      expect(received).toEqual(sent.map((bytes) => Buffer.from(bytes).toString('hex')));
    }),
    { numRuns: 200 },
  );
});

test('a message that is too long is reported by its header and discarded in whatever pieces it arrives, and the next one is read', () => {
  const long = Buffer.from(writeMessage(kinds.signal, 7, { path: '/a', member: 'Long', signature: 'ay' }));
  const bodyLength = 16 * 1024 * 1024;
  long.writeUInt32LE(bodyLength, 4);
  const next = writeMessage(kinds.signal, 8, { path: '/a', member: 'Next' });
  const stream = Buffer.concat([next, long, Buffer.alloc(bodyLength, 0x6c), next]);
  for (const size of [7, 16, 1000, 65_536, stream.length]) {
    const received: string[] = [];
    const push = createFrames({
      received: (bytes) => received.push(readMessage(bytes).member ?? ''),
      skipped: (header) => received.push(`skipped ${header === null ? 'all' : readMessage(header).member}`),
    });
    for (let at = 0; at < stream.length; at += size) push(stream.subarray(at, at + size));
    expect(received).toEqual(['Next', 'skipped Long', 'Next']);
  }
});

test('a message with an endless header is discarded', () => {
  const long = Buffer.from(writeMessage(kinds.signal, 7, { path: '/a' })).subarray(0, 16);
  long.writeUInt32LE(65 * 1024, 12);
  const received: unknown[] = [];
  const push = createFrames({
    received: (bytes) => received.push(readMessage(bytes).serial),
    skipped: (it) => received.push(it),
  });
  push(Buffer.concat([long, Buffer.alloc(65 * 1024)]));
  push(writeMessage(kinds.signal, 8, { path: '/a' }));
  expect(received).toEqual([null, 8]);
});

test('invalid data is refused with its first bytes', () => {
  const start = writeMessage(kinds.signal, 1, { path: '/a' }).slice(0, 16);
  const changed = (at: number, value: number) => start.map((byte, index) => (index === at ? value : byte));
  for (const bytes of [changed(0, 0x4c), changed(3, 2), changed(7, 9), changed(15, 9)]) {
    expect(() => createFrames(nothing)(bytes)).toThrow(BusError);
  }
  expect(() => createFrames(nothing)(start)).not.toThrow();
});

test('damaged messages are read or throw BusError', () => {
  const change = fc.tuple(fc.nat(), fc.nat(255));
  fc.assert(
    fc.property(some, bodies(), fc.array(change, { minLength: 1, maxLength: 4 }), (fields, content, changes) => {
      const given = content.values.map((value) => value.given);
      const body = wrap(content.signature, given);
      const bytes = Buffer.from(writeMessage(kinds.reply, 1, { ...fields, signature: content.signature, body }));
      for (const [at, value] of changes) bytes[at % bytes.length] = value;
      try {
        createFrames({ ...nothing, received: (message) => void readMessage(message).body })(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(BusError);
      }
    }),
    { numRuns: 1000 },
  );
});
