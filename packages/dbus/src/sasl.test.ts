import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { BusError } from './dbus.ts';
import { createHandshake } from './sasl.ts';

const hello = `\0AUTH EXTERNAL ${Buffer.from(String(process.getuid?.())).toString('hex')}\r\n`;

function converse(wantsDescriptors: boolean, guid: string | null = null) {
  const said: string[] = [];
  const handshake = createHandshake((bytes) => said.push(Buffer.from(bytes).toString()), wantsDescriptors, guid);
  return { said, hear: (text: string) => handshake.hear(Buffer.from(text)) };
}

test('authenticates, and begins when the bus agrees', () => {
  const { said, hear } = converse(false);
  expect(said).toEqual([hello]);
  expect(hear('OK 1234deadbeef\r\n')).toEqual(Buffer.alloc(0));
  expect(said).toEqual([hello, 'BEGIN\r\n']);
});

test('descriptors are negotiated where wanted, and optional where the bus has none', () => {
  for (const answer of ['AGREE_UNIX_FD', 'ERROR not here']) {
    const { said, hear } = converse(true);
    expect(hear('OK 12\r\n')).toBeNull();
    expect(hear(`${answer}\r\n`)).not.toBeNull();
    expect(said).toEqual([hello, 'NEGOTIATE_UNIX_FD\r\n', 'BEGIN\r\n']);
  }
});

test('lines may be split anywhere, and the bytes after the last are returned', () => {
  const text = 'OK 12\r\nAGREE_UNIX_FD\r\nl\x01rest\r\n';
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (sizes) => {
      const { said, hear } = converse(true);
      let left = '';
      let isOver = false;
      for (let at = 0, turn = 0; at < text.length; turn++) {
        const piece = text.slice(at, at + (sizes[turn % sizes.length] ?? 1));
        at += piece.length;
        const rest: Uint8Array | null = isOver ? Buffer.from(piece) : hear(piece);
        isOver ||= rest !== null;
        left += Buffer.from(rest ?? []).toString();
      }
      expect(left).toBe('l\x01rest\r\n');
      expect(said).toEqual([hello, 'NEGOTIATE_UNIX_FD\r\n', 'BEGIN\r\n']);
    }),
  );
});

test('any other answer is a refusal, and is quoted', () => {
  for (const line of ['REJECTED EXTERNAL', 'ERROR', 'DATA', 'OKAY', '', 'HTTP/1.1 400 Bad Request']) {
    expect(() => converse(false).hear(`${line}\r\n`)).toThrow(BusError);
    expect(() => converse(false).hear(`${line}\r\n`)).toThrow(line);
  }
});

test('an endless line is an error', () => {
  const { hear } = converse(false);
  expect(() => {
    for (let count = 0; count < 1000; count++) hear('OK'.repeat(50));
  }).toThrow(BusError);
});

test('where the address names a bus by its GUID, only that one is used', () => {
  const guid = '1234deadbeef1234deadbeef1234dead';
  expect(converse(false, guid).hear(`OK ${guid.toUpperCase()}\r\n`)).toEqual(Buffer.alloc(0));
  for (const other of ['OK 1234', 'OK', `OK ${guid}00`]) {
    const { said, hear } = converse(false, guid);
    expect(() => hear(`${other}\r\n`)).toThrow(`not the bus that its address names by guid=${guid}`);
    expect(said).toEqual([hello]);
  }
});
