import { expect, test } from 'bun:test';
// @ts-expect-error this part of it has no types
import reference from 'dbus-native/lib/message.js';
import fc from 'fast-check';
import { bodies } from '../../../test/harness/dbus-values.ts';
import { BusError } from './dbus.ts';
import { createFrames } from './frames.ts';
import { matches } from './match.ts';
import { kinds, messageLength, readMessage, writeMessage } from './message.ts';
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

test('we write the messages that the reference writes, and both are read', () => {
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
      expect(messageLength(ours)).toBe(ours.length);
      const message = readMessage(ours);
      expect(message).toMatchObject({ ...given, kind: 4, flags: 0, serial, descriptors: 0 });
      expect(message.body).toEqual(values.map((value) => value.plain));
    }),
    { numRuns: 200 },
  );
});

test('a message in the other byte order is read as well', () => {
  const bytes = Buffer.from([
    ...[0x42, 4, 1, 1, 0, 0, 0, 6, 0, 0, 0, 9, 0, 0, 0, 37],
    ...[1, 1, 0x6f, 0, 0, 0, 0, 2, 0x2f, 0x61, 0, 0, 0, 0, 0, 0],
    ...[8, 1, 0x67, 0, 1, 0x73, 0, 0],
    ...[9, 1, 0x75, 0, 0, 0, 0, 2, 77, 1, 0x79, 0, 3, 0, 0, 0],
    ...[0, 0, 0, 1, 0x78, 0],
  ]);
  expect(messageLength(bytes)).toBe(bytes.length);
  const message = readMessage(bytes);
  expect(message).toMatchObject({ kind: 4, flags: 1, serial: 9, path: '/a', signature: 's', descriptors: 2 });
  expect(message.body).toEqual(['x']);
});

test('a body is read when it is asked for, and a match asks only where the header fits', () => {
  const bytes = writeMessage(kinds.signal, 1, { ...fields, signature: 's', body: new Uint8Array([255, 0, 0, 0]) });
  const message = readMessage(bytes);
  const about = { interface: fields.interface, arg0: 'x' };
  expect(matches({ ...about, member: 'Other' }, message, () => null)).toBeFalse();
  expect(matches({ ...about, sender: ':1.6' }, message, () => null)).toBeFalse();
  expect(matches({ interface: fields.interface }, message, () => null)).toBeTrue();
  expect(() => matches(about, message, () => null)).toThrow(BusError);
  expect(() => message.body).toThrow(BusError);
});

test('fields that are not of their type say nothing, and unknown ones do no harm', () => {
  const bytes = Buffer.from(writeMessage(kinds.signal, 1, { path: '/a', member: 'Named' }));
  const numbered = bytes.indexOf('Named') - 8;
  expect(bytes[numbered]).toBe(3);
  bytes[numbered] = 99;
  expect(readMessage(bytes)).toMatchObject({ path: '/a', member: undefined });
  bytes[numbered] = 5;
  expect(readMessage(bytes)).toMatchObject({ path: '/a', replySerial: undefined });
});

test('a message is found in whatever pieces it arrives', () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 });
  fc.assert(
    fc.property(fc.array(bodies(), { maxLength: 4 }), cuts, (contents, sizes) => {
      const sent = contents.map(({ signature, values }, index) => {
        const given = values.map((value) => value.given);
        return writeMessage(kinds.signal, index + 1, { path: '/a', signature, body: wrap(signature, given) });
      });
      const stream = Buffer.concat(sent);
      const heard: string[] = [];
      const hear = createFrames((bytes) => heard.push(Buffer.from(bytes).toString('hex')));
      for (let at = 0, turn = 0; at < stream.length; turn++) {
        const size = sizes[turn % sizes.length] ?? 1;
        hear(stream.subarray(at, at + size));
        at += size;
      }
      expect(heard).toEqual(sent.map((bytes) => Buffer.from(bytes).toString('hex')));
    }),
    { numRuns: 200 },
  );
});

test('what is no message is refused with its first bytes, not when the rest is there', () => {
  const start = writeMessage(kinds.signal, 1, { path: '/a' }).slice(0, 16);
  const changed = (at: number, value: number) => start.map((byte, index) => (index === at ? value : byte));
  for (const bytes of [changed(0, 0x4c), changed(3, 2), changed(7, 1), changed(15, 1)]) {
    expect(() => createFrames(() => {})(bytes)).toThrow(BusError);
  }
  expect(() => createFrames(() => {})(start)).not.toThrow();
});

test('messages that were cut or changed are messages or a BusError', () => {
  const change = fc.tuple(fc.nat(), fc.nat(255));
  fc.assert(
    fc.property(some, bodies(), fc.array(change, { minLength: 1, maxLength: 4 }), (fields, content, changes) => {
      const given = content.values.map((value) => value.given);
      const body = wrap(content.signature, given);
      const bytes = Buffer.from(writeMessage(kinds.reply, 1, { ...fields, signature: content.signature, body }));
      for (const [at, value] of changes) bytes[at % bytes.length] = value;
      try {
        createFrames((message) => void readMessage(message).body)(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(BusError);
      }
    }),
    { numRuns: 1000 },
  );
});
