import { expect, test } from 'bun:test';
import type { ConnectLocal } from '@hostler/io/local-socket.ts';
import { fakeClock } from '@hostler/io/testing/fake-clock.ts';
import { openWayland } from './connection.ts';
import { readGlobals } from './globals.ts';
import { followIdle } from './idle.ts';
import { message, text, word } from './testing/wayland-words.ts';
import { followToplevels } from './toplevels.ts';

/** A compositor that offers these, answers every sync, and sends the events of the test. */
async function compositor(globals: string[]) {
  const sent: Buffer[] = [];
  let emit: (bytes: Buffer) => void = () => {};
  const connect: ConnectLocal = async (_socket, { data }) => {
    emit = data;
    return {
      send(bytes: Uint8Array) {
        const request = Buffer.from(bytes);
        sent.push(request);
        const [object, opcode] = [request.readUInt32LE(0), request.readUInt16LE(4)];
        if (object !== 1) return;
        const id = request.readUInt32LE(8);
        const answers =
          opcode === 1
            ? globals.map((kind, index) => message(id, 0, word(index + 1), text(kind), word(9)))
            : [message(id, 0, word(0))];
        setImmediate(() => emit(Buffer.concat(answers)));
      },
      close() {},
    } as never;
  };
  const wayland = await openWayland(connect, fakeClock(), { socket: '/x', timeoutMs: 1000 });
  return {
    wayland,
    found: await readGlobals(wayland),
    sent,
    emit: (...messages: Buffer[]) => emit(Buffer.concat(messages)),
  };
}

const bound = (sent: Buffer[], kind: string) => {
  const request = sent.find((bytes) => bytes.includes(kind));
  return request?.readUInt32LE(request.length - 4) ?? 0;
};
const window = 0xff000001;

test('windows beyond a limit are not followed; one that closes makes room', async () => {
  const { wayland, found, sent, emit } = await compositor(['zwlr_foreign_toplevel_manager_v1']);
  followToplevels(wayland, found, () => {});
  const manager = bound(sent, 'zwlr_foreign_toplevel_manager_v1');
  const open = (count: number, from: number) =>
    emit(...Array.from({ length: count }, (_, index) => message(manager, 0, word(from + index))));
  const before = sent.length;
  open(4096, window);
  expect(sent.length).toBe(before);
  open(2, window + 4096);
  expect(sent.slice(before).map((bytes) => bytes.readUInt32LE(0))).toEqual([window + 4096, window + 4097]);
  emit(message(window, 6));
  open(1, window + 5000);
  expect(sent.length).toBe(before + 3);
  wayland.close();
});

test('the activated window is reported with all of its fields', async () => {
  const { wayland, found, sent, emit } = await compositor(['zwlr_foreign_toplevel_manager_v1']);
  let changes = 0;
  const windows = followToplevels(wayland, found, () => changes++);
  const manager = bound(sent, 'zwlr_foreign_toplevel_manager_v1');
  emit(
    message(manager, 0, word(window)),
    message(window, 0, text('a title')),
    message(window, 1, text('an.app')),
    message(window, 4, word(8), word(2), word(3)),
  );
  expect(windows?.active()).toBeNull();
  emit(message(window, 5));
  expect(windows?.active()).toEqual({ title: 'a title', app: 'an.app', active: true, fullscreen: true });
  emit(message(window, 6));
  expect(windows?.active()).toBeNull();
  expect(changes).toBe(2);
});

test.each([
  ['a truncated list', message(window, 4, word(400), word(2))],
  ['a title that ends too early', message(window, 0, word(400), word(2))],
  ['a message shorter than its head', Buffer.concat([word(window), word(4 << 16)])],
])('%s ends the connection, and not the process', async (_what, bytes) => {
  const { wayland, found, sent, emit } = await compositor(['zwlr_foreign_toplevel_manager_v1']);
  const ended: string[] = [];
  wayland.onClosed(({ message: why }) => ended.push(why));
  followToplevels(wayland, found, () => {});
  emit(message(bound(sent, 'zwlr_foreign_toplevel_manager_v1'), 0, word(window)), bytes);
  expect(ended).toHaveLength(1);
});

test('the number of windows is limited', async () => {
  const { wayland, found, sent, emit } = await compositor(['zwlr_foreign_toplevel_manager_v1']);
  const windows = followToplevels(wayland, found, () => {});
  const manager = bound(sent, 'zwlr_foreign_toplevel_manager_v1');
  for (let index = 0; index < 5000; index++)
    emit(
      message(manager, 0, word(window + index)),
      message(window + index, 4, word(4), word(index === 4999 ? 2 : 0)),
      message(window + index, 5),
    );
  expect(windows?.active()).toBeNull();
});

test.each([
  ['ext_idle_notifier_v1', 1],
  ['org_kde_kwin_idle', 0],
] as const)('the idle protocol %s reports idle and active', async (kind, opcode) => {
  const { wayland, found, sent, emit } = await compositor(['wl_seat', kind]);
  const reported: boolean[] = [];
  const idle = followIdle(wayland, found, 300_000, (isIdle) => reported.push(isIdle));
  const manager = bound(sent, kind);
  const request = sent.find((bytes) => bytes.readUInt32LE(0) === manager && bytes.readUInt16LE(4) === opcode);
  const timer = request?.readUInt32LE(8) ?? 0;
  expect([12, 16].map((at) => request?.readUInt32LE(at))).toContain(300_000);
  expect(idle?.isIdle()).toBe(false);
  emit(message(timer, 0));
  expect(idle?.isIdle()).toBe(true);
  emit(message(timer, 1));
  expect(reported).toEqual([true, false]);
});

test('the window list is null without a seat or a protocol', async () => {
  for (const globals of [['wl_seat'], ['ext_idle_notifier_v1']]) {
    const { wayland, found } = await compositor(globals);
    expect(followIdle(wayland, found, 1000, () => {})).toBeNull();
    expect(followToplevels(wayland, found, () => {})).toBeNull();
  }
});
