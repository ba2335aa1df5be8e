import { describe, expect, spyOn, test } from 'bun:test';
import { fakeClock } from '@hostler/io/testing/fake-clock.ts';
import { noKey, parseAuthority } from './authority.ts';
import { openX11, X11Error, X11Refusal } from './connection.ts';
import { parseModes } from './randr.ts';
import { authorityEntry as entry, refusal, fakeServer as server, welcome } from './testing/fake-server.ts';

const cookie = 'MIT-MAGIC-COOKIE-1';

test('the key for this machine and display comes first', () => {
  const file = Buffer.concat([
    entry(65_535, '', '', cookie, 'any'),
    entry(256, 'elsewhere', '0', cookie, 'moved'),
    entry(256, 'machine', '1', cookie, 'other display'),
    entry(256, 'machine', '0', 'XDM-AUTHORIZATION-1', 'other kind'),
    entry(0, '\x7f\0\0\x01', '0', cookie, 'over the network'),
    entry(256, 'machine', '0', cookie, 'right'),
  ]);
  const texts = parseAuthority(file, 0, 'machine').map(({ data }) => Buffer.from(data).toString());
  expect(texts).toEqual(['right', 'any', 'moved']);
  expect(parseAuthority(file.subarray(0, file.length - 3), 0, 'machine')).toHaveLength(2);
  expect(parseAuthority(Buffer.from([1]), 0, 'machine')).toEqual([]);
});

function reply(sequence: number, more = 0): Buffer {
  const bytes = Buffer.alloc(32 + more);
  bytes[0] = 1;
  bytes.writeUInt16LE(sequence, 2);
  bytes.writeUInt32LE(more / 4, 4);
  return bytes;
}

describe('a connection to the X server', () => {
  const options = { socket: '/x', key: noKey, timeoutMs: 1000 };

  test('sends the key, and has its root window', async () => {
    const { connect, received } = server(welcome());
    const key = { name: cookie, data: Buffer.from('0123456789abcdef') };
    const x11 = await openX11(connect, fakeClock(), { ...options, key });
    expect(x11).toMatchObject({ root: 77, keyCodes: [8, 255], maxRequestBytes: 262_140 });
    expect(received[0]?.toString('latin1')).toBe(`l\0\x0b\0\0\0\x12\0\x10\0\0\0${cookie}\0\x000123456789abcdef`);
    x11.close();
  });

  test('passes each reply to its request, errors as errors, and events to the listeners', async () => {
    const { connect, send } = server(welcome());
    const x11 = await openX11(connect, fakeClock(), options);
    const events: number[] = [];
    x11.onEvent((event) => events.push(event[0] ?? 0));
    const first = x11.ask(98, 0);
    x11.send(10, 0);
    const third = x11.ask(20, 1);
    const error = Buffer.alloc(32);
    error[1] = 3;
    error.writeUInt16LE(1, 2);
    const event = Buffer.alloc(32);
    event[0] = 89;
    send(Buffer.concat([event, reply(3, 8), error, reply(9)]));
    expect((await third).length).toBe(40);
    await expect(first).rejects.toEqual(new X11Error(3, 98));
    expect(events).toEqual([89]);
    x11.close();
  });

  test('copies a long reply in many pieces a few times at most', async () => {
    const { connect, send } = server(welcome());
    const x11 = await openX11(connect, fakeClock(), options);
    const asked = x11.ask(73, 0);
    const whole = reply(1, 4 * 1024 * 1024);
    const spy = spyOn(Buffer, 'concat');
    try {
      for (let at = 0; at < whole.length; at += 16 * 1024) send(whole.subarray(at, at + 16 * 1024));
      expect((await asked).length).toBe(whole.length);
      const copied = spy.mock.results.reduce((sum, { value }) => sum + (value as Buffer).length, 0);
      expect(copied).toBeLessThan(3 * whole.length);
    } finally {
      spy.mockRestore();
    }
    x11.close();
  });

  test('that is refused has a reason, and is closed', async () => {
    const { connect, closed } = server(refusal());
    const opening = openX11(connect, fakeClock(), options);
    await expect(opening).rejects.toBeInstanceOf(X11Refusal);
    await expect(opening).rejects.toThrow('No protocol specified');
    expect(closed()).toBe(1);
  });

  test('to a silent server times out, and so does a request', async () => {
    const clock = fakeClock();
    const silent = openX11(server().connect, clock, options).catch((error: unknown) => String(error));
    await Promise.resolve();
    clock.advance(1000);
    expect(await silent).toContain('did not answer within 1 s');
    const x11 = await openX11(server(welcome()).connect, clock, options);
    const asked = x11.ask(1, 0).catch((error: unknown) => String(error));
    clock.advance(1000);
    expect(await asked).toContain('did not answer within 1 s');
    x11.close();
    expect(clock.advanceToNext()).toBe(false);
  });

  test('that ends rejects pending requests and reports it once', async () => {
    const { connect, end } = server(welcome());
    const x11 = await openX11(connect, fakeClock(), options);
    let calls = 0;
    x11.onClosed(() => calls++);
    const asked = x11.ask(1, 0);
    end();
    await expect(asked).rejects.toThrow('closed the connection');
    await expect(x11.ask(1, 0)).rejects.toThrow('closed the connection');
    expect(calls).toBe(1);
  });

  test('with a message of a gigabyte ends', async () => {
    const { connect, send } = server(welcome());
    const x11 = await openX11(connect, fakeClock(), options);
    const asked = x11.ask(1, 0);
    const huge = reply(1);
    huge.writeUInt32LE(0x1000_0000, 4);
    send(huge);
    await expect(asked).rejects.toThrow('bytes');
  });
});

test('interlaced modes show half their lines, and double-scanned ones twice', () => {
  const mode = (flags: number, clock = 148_500_000) => {
    const bytes = Buffer.alloc(32);
    bytes.writeUInt32LE(7 + flags, 0);
    bytes.writeUInt32LE(clock, 8);
    bytes.writeUInt16LE(2200, 16);
    bytes.writeUInt16LE(1125, 24);
    bytes.writeUInt32LE(flags, 28);
    return bytes;
  };
  const modes = parseModes(Buffer.concat([mode(0), mode(16), mode(32), mode(1, 0)]), 0, 4);
  expect([...modes.values()].map(({ refresh }) => refresh)).toEqual([60, 120, 30, 0]);
});
