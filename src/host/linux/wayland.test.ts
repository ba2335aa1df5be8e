import { describe, expect, test } from 'bun:test';
import type { ConnectLocal, LocalSocketEvents } from '@hostler/io/local-socket.ts';
import { openWayland } from '@hostler/wayland/connection.ts';
import { followOutputs } from '@hostler/wayland/outputs.ts';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import { parsePrimary } from '../../features/displays/linux/mutter.ts';

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value | 0);
  return bytes;
}

function text(value: string): Buffer {
  const length = Buffer.byteLength(value) + 1;
  const bytes = Buffer.alloc((length + 3) & ~3);
  bytes.write(value);
  return Buffer.concat([word(length), bytes]);
}

function event(object: number, opcode: number, ...values: (number | string)[]): Buffer {
  const content = Buffer.concat(values.map((value) => (typeof value === 'number' ? word(value) : text(value))));
  return Buffer.concat([word(object), word(((content.length + 8) << 16) | opcode), content]);
}

/** A compositor that answers each request by `script`, and every sync. */
function compositor(script: (object: number, opcode: number, content: Buffer) => Buffer[]) {
  let events: LocalSocketEvents | null = null;
  let closed = 0;
  const connect: ConnectLocal = async (_path, given) => {
    events = given;
    return {
      send(bytes) {
        const request = Buffer.from(bytes);
        const [object, opcode] = [request.readUInt32LE(0), request.readUInt16LE(4)];
        const content = request.subarray(8);
        const answers = script(object, opcode, content);
        if (object === 1 && opcode === 0) answers.push(event(content.readUInt32LE(0), 0, 0));
        queueMicrotask(() => {
          for (const answer of answers) {
            given.data(answer.subarray(0, 3));
            given.data(answer.subarray(3));
          }
        });
      },
      close: () => void closed++,
    };
  };
  return {
    connect,
    emit: (bytes: Buffer) => events?.data(bytes),
    end: () => events?.closed(null),
    closed: () => closed,
  };
}

const options = { socket: '/run/wayland-0', timeoutMs: 1000 };

/** One old output without a name, one new one that xdg-output places, and the order of KDE. */
function session() {
  const bound = new Map<string, number[]>();
  const made = compositor((object, opcode, content) => {
    if (object === 1 && opcode === 1) {
      return [
        event(2, 0, 10, 'wl_output', 4),
        event(2, 0, 11, 'constructor', 1),
        event(2, 0, 12, 'kde_output_order_v1', 1),
        event(2, 0, 13, 'zxdg_output_manager_v1', 3),
        event(2, 0, 14, 'wl_output', 2),
      ];
    }
    if (object === 2 && opcode === 0) {
      const length = content.readUInt32LE(4);
      const name = content.toString('utf8', 8, 7 + length);
      const id = content.readUInt32LE(content.length - 4);
      bound.set(name, [...(bound.get(name) ?? []), id]);
      if (name === 'kde_output_order_v1') return [event(id, 0, 'DP-1'), event(id, 0, 'DP-2'), event(id, 1)];
      if (name === 'wl_output' && content.readUInt32LE(0) === 10) {
        return [
          event(id, 0, 0, 0, 527, 296, 0, 'Dell', 'U2412M', 1),
          event(id, 1, 0, 640, 480, 60_000),
          event(id, 1, 3, 1920, 1080, 59_950),
          event(id, 4, 'DP-1'),
          event(id, 5, 'Dell U2412M'),
          event(id, 2),
        ];
      }
      return name === 'wl_output'
        ? [event(id, 0, 5, 6, 0, 0, 0, '', '', 0), event(id, 1, 1, 800, 600, 0), event(id, 2)]
        : [];
    }
    const [manager] = bound.get('zxdg_output_manager_v1') ?? [];
    if (object === manager && opcode === 1 && content.readUInt32LE(4) === bound.get('wl_output')?.[0]) {
      return [
        event(content.readUInt32LE(0), 0, -1920, 40),
        event(content.readUInt32LE(0), 1, 720, 1280),
        event(content.readUInt32LE(0), 2),
      ];
    }
    return [];
  });
  return { ...made, bound };
}

describe('the outputs of a compositor', () => {
  test('are read with everything about them', async () => {
    const { connect } = session();
    const wayland = await openWayland(connect, fakeClock(), options);
    const outputs = await followOutputs(wayland, () => {});
    expect(outputs.list()).toEqual([
      {
        name: 'DP-1',
        description: 'Dell U2412M',
        make: 'Dell',
        model: 'U2412M',
        width: 1920,
        height: 1080,
        isTurned: true,
        refresh: 59.95,
        x: -1920,
        y: 40,
        logicalWidth: 720,
        logicalHeight: 1280,
        mmWidth: 527,
        mmHeight: 296,
        power: null,
        isFixed: false,
      },
      expect.objectContaining({ name: null, width: 800, height: 600, refresh: 0, x: 5, y: 6, isTurned: false }),
    ]);
    expect(outputs.primary()).toBe('DP-1');
    wayland.close();
  });

  test('that are added, changed and removed are reported', async () => {
    const { connect, emit, bound } = session();
    const wayland = await openWayland(connect, fakeClock(), options);
    let calls = 0;
    const outputs = await followOutputs(wayland, () => calls++);
    calls = 0;
    const id = bound.get('wl_output')?.[0] ?? 0;
    emit(Buffer.concat([event(id, 1, 1, 640, 480, 75_000), event(id, 2)]));
    expect(calls).toBe(1);
    expect(outputs.list()[0]).toMatchObject({ width: 640, refresh: 75 });
    emit(event(2, 1, 14));
    emit(event(2, 1, 99));
    expect(calls).toBe(2);
    expect(outputs.list()).toHaveLength(1);
    wayland.close();
  });
});

describe('a faulty compositor', () => {
  const ask = async (connect: ConnectLocal, clock = fakeClock()) => {
    const wayland = await openWayland(connect, clock, options);
    return followOutputs(wayland, () => {});
  };

  test.each<[string, Buffer, string]>([
    ['an error of the protocol', event(1, 0, 2, 7, 'invalid object'), 'error 7: invalid object'],
    ['a message of no length', Buffer.alloc(8), 'an invalid message'],
    [
      'an unterminated text',
      Buffer.concat([word(2), word((20 << 16) | 0), word(1), word(9000), word(0)]),
      'truncated text',
    ],
  ])('%s ends the connection', async (_name, bytes, message) => {
    const { connect, closed } = compositor((object, opcode) => (object === 1 && opcode === 1 ? [bytes] : []));
    await expect(ask(connect)).rejects.toThrow(message);
    expect(closed()).toBe(1);
  });

  test('that is silent times out', async () => {
    const clock = fakeClock();
    const mute: ConnectLocal = async () => ({ send: () => {}, close: () => {} });
    const asked = ask(mute, clock).catch((error: unknown) => String(error));
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1000);
    expect(await asked).toContain('did not answer within 1 s');
    expect(clock.advanceToNext()).toBe(false);
  });

  test('the end of which is reported once', async () => {
    const { connect, end } = session();
    const wayland = await openWayland(connect, fakeClock(), options);
    let calls = 0;
    wayland.onClosed(() => calls++);
    end();
    end();
    expect(calls).toBe(1);
    await expect(wayland.sync()).rejects.toThrow('closed');
  });
});

test('the primary display is read from the reply of GNOME', () => {
  const logical = (isPrimary: unknown, ...connectors: unknown[]) => [
    0,
    0,
    1,
    0,
    isPrimary,
    connectors.map((name) => [name, 'v', 'p', 's']),
    {},
  ];
  expect(parsePrimary([logical(false, 'DP-1'), logical(true, 'DP-2', 'DP-3')])).toBe('DP-2');
  expect([parsePrimary([]), parsePrimary(null), parsePrimary([7]), parsePrimary([logical(true, 5)])]).toEqual([
    null,
    null,
    null,
    null,
  ]);
});
