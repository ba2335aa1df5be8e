import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { BusError } from './dbus.ts';
import { createHandshake } from './sasl.ts';

const hello = `\0AUTH EXTERNAL ${Buffer.from(String(process.getuid?.())).toString('hex')}\r\n`;

function converse(wantsDescriptors: boolean, guid: string | null = null) {
  const sent: string[] = [];
  const handshake = createHandshake((bytes) => sent.push(Buffer.from(bytes).toString()), wantsDescriptors, guid);
  return { sent, receive: (text: string) => handshake.receive(Buffer.from(text)) };
}

test('the client authenticates, and sends BEGIN when the bus accepts', () => {
  const { sent, receive } = converse(false);
  expect(sent).toEqual([hello]);
  expect(receive('OK 1234deadbeef\r\n')).toEqual(Buffer.alloc(0));
  expect(sent).toEqual([hello, 'BEGIN\r\n']);
});

test('descriptor passing is negotiated on request, and may be refused by the bus', () => {
  for (const answer of ['AGREE_UNIX_FD', 'ERROR not here']) {
    const { sent, receive } = converse(true);
    expect(receive('OK 12\r\n')).toBeNull();
    expect(receive(`${answer}\r\n`)).not.toBeNull();
    expect(sent).toEqual([hello, 'NEGOTIATE_UNIX_FD\r\n', 'BEGIN\r\n']);
  }
});

test('lines may be split anywhere, and the bytes after the last are returned', () => {
  const text = 'OK 12\r\nAGREE_UNIX_FD\r\nl\x01rest\r\n';
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (sizes) => {
      const { sent, receive } = converse(true);
      let left = '';
      let isOver = false;
      for (let at = 0, round = 0; at < text.length; round++) {
        const piece = text.slice(at, at + (sizes[round % sizes.length] ?? 1));
        at += piece.length;
        const rest: Uint8Array | null = isOver ? Buffer.from(piece) : receive(piece);
        isOver ||= rest !== null;
        left += Buffer.from(rest ?? []).toString();
      }
      expect(left).toBe('l\x01rest\r\n');
      expect(sent).toEqual([hello, 'NEGOTIATE_UNIX_FD\r\n', 'BEGIN\r\n']);
    }),
  );
});

test('any other reply is a refusal, and is quoted in the error', () => {
  for (const line of ['REJECTED EXTERNAL', 'ERROR', 'DATA', 'OKAY', '', 'HTTP/1.1 400 Bad Request']) {
    expect(() => converse(false).receive(`${line}\r\n`)).toThrow(BusError);
    expect(() => converse(false).receive(`${line}\r\n`)).toThrow(line);
  }
});

test('an endless line is an error', () => {
  const { receive } = converse(false);
  expect(() => {
    for (let count = 0; count < 1000; count++) receive('OK'.repeat(50));
  }).toThrow(BusError);
});

test('where the address names a bus by its GUID, only that one is used', () => {
  const guid = '1234deadbeef1234deadbeef1234dead';
  expect(converse(false, guid).receive(`OK ${guid.toUpperCase()}\r\n`)).toEqual(Buffer.alloc(0));
  for (const other of ['OK 1234', 'OK', `OK ${guid}00`]) {
    const { sent, receive } = converse(false, guid);
    expect(() => receive(`${other}\r\n`)).toThrow(`its GUID is not that of its address (guid=${guid})`);
    expect(sent).toEqual([hello]);
  }
});
