import { expect, test } from 'bun:test';
import type { X11 } from './connection.ts';
import { openDpms } from './dpms.ts';

const opcode = 133;
const reply = (...bytes: number[]) => Buffer.concat([Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]), Buffer.from(bytes)], 32);

/** A server that follows the specification; a request that does not fit its state is ignored, as its error would be. */
function server({ has = true, capable = true, enabled = true, minor = 2 } = {}) {
  const state = { level: 0, enabled, timeouts: [600, 900, 1200], selected: 0 };
  const x11 = {
    extension: async () => (has ? { opcode, firstEvent: 0 } : null),
    async ask(_opcode: number, request: number) {
      if (request === 0) return reply(1, 0, minor, 0);
      if (request === 1) return reply(Number(capable));
      return reply(state.level, 0, Number(state.enabled));
    },
    send(_opcode: number, request: number, content: Uint8Array = new Uint8Array()) {
      const bytes = Buffer.from(content);
      if (request === 3) state.timeouts = [0, 2, 4].map((at) => bytes.readUInt16LE(at));
      if (request === 4) state.enabled = true;
      if (request === 6 && state.enabled) state.level = bytes.readUInt16LE(0);
      if (request === 8) state.selected = bytes.readUInt32LE(0);
    },
  };
  return { x11: x11 as unknown as X11, state };
}

test('displays are switched off and on', async () => {
  const { x11, state } = server();
  const dpms = await openDpms(x11);
  expect(await dpms?.power()).toBe('on');
  await dpms?.set('off');
  expect([state.level, await dpms?.power()]).toEqual([3, 'off']);
  expect(state.timeouts).toEqual([600, 900, 1200]);
  await dpms?.set('on');
  expect([state.level, await dpms?.power()]).toEqual([0, 'on']);
});

test('after enabling DPMS no timeout turns the displays off', async () => {
  const { x11, state } = server({ enabled: false });
  const dpms = await openDpms(x11);
  await dpms?.set('on');
  expect(state.enabled).toBe(false);
  await dpms?.set('off');
  expect([state.level, state.timeouts]).toEqual([3, [0, 0, 0]]);
});

test('DPMS is null without support of the server', async () => {
  expect(await openDpms(server({ has: false }).x11)).toBeNull();
  expect(await openDpms(server({ capable: false }).x11)).toBeNull();
});

test('events are selected where the server supports them', async () => {
  const [old, recent] = [server({ minor: 1 }), server()];
  (await openDpms(old.x11))?.follow();
  const dpms = await openDpms(recent.x11);
  dpms?.follow();
  expect([old.state.selected, recent.state.selected]).toEqual([0, 1]);
  const event = Buffer.alloc(32);
  event[0] = 35;
  event[1] = opcode;
  expect(dpms?.isChange(event)).toBe(true);
  event[1] = opcode + 1;
  expect(dpms?.isChange(event)).toBe(false);
});
