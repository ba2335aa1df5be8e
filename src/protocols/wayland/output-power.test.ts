import { expect, test } from 'bun:test';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import type { ConnectLocal } from '../../lib/local-socket.ts';
import { openWayland } from './connection.ts';
import { followOutputs } from './outputs.ts';

const word = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
};
const text = (value: string) => {
  const bytes = Buffer.from(`${value}\0`);
  return Buffer.concat([word(bytes.length), bytes, Buffer.alloc(-bytes.length & 3)]);
};
const message = (object: number, opcode: number, ...parts: Buffer[]) => {
  const body = Buffer.concat(parts);
  return Buffer.concat([word(object), word(((body.length + 8) << 16) | opcode), body]);
};

interface Words {
  kind: string;
  mode: number;
  on: number;
  off: number;
}
const wlr: Words = { kind: 'zwlr_output_power_manager_v1', mode: 0, on: 1, off: 0 };
const kde: Words = { kind: 'org_kde_kwin_dpms_manager', mode: 1, on: 0, off: 3 };

/**
 * A compositor with two outputs, DP-1 and DP-2, that obeys. `held`: another program has the switch of DP-2; `fixed`: that one cannot be
 * switched, which KWin says of displays without a screen.
 */
async function compositor({ kind, mode, on, off }: Words, { held = false, fixed = false } = {}) {
  const globals = ['wl_output', kind, 'wl_output'];
  const lit = new Map<number, number>();
  /** Switches by their number, and the output each belongs to. */
  const switches = new Map<number, number>();
  let outputIds: number[] = [];
  let manager = 0;
  let say: (bytes: Buffer) => void = () => {};
  const tell = (...messages: Buffer[]) => void setImmediate(() => say(Buffer.concat(messages)));
  const connect: ConnectLocal = async (_socket, { data }) => {
    say = data;
    return {
      send(bytes: Uint8Array): void {
        const request = Buffer.from(bytes);
        const [object, opcode] = [request.readUInt32LE(0), request.readUInt16LE(4)];
        const first = request.length < 12 ? 0 : request.readUInt32LE(8);
        if (object === 1 && opcode === 1)
          return tell(...globals.map((name, index) => message(first, 0, word(index), text(name), word(9))));
        if (object === 1) return tell(message(first, 0, word(0)));
        if (object === 2) {
          const id = request.readUInt32LE(request.length - 4);
          if (first === 1) manager = id;
          else {
            outputIds = [...outputIds, id];
            lit.set(id, on);
            tell(message(id, 4, text(`DP-${outputIds.length}`)), message(id, 2));
          }
          return;
        }
        if (object === manager) {
          const output = request.readUInt32LE(12);
          if (held && output === outputIds[1]) return tell(message(first, 1));
          switches.set(first, output);
          if (kind === kde.kind) tell(message(first, 0, word(fixed && output === outputIds[1] ? 0 : 1)));
          return tell(message(first, mode, word(lit.get(output) ?? 0)));
        }
        const output = switches.get(object);
        if (output === undefined) return;
        if (opcode === 1) return void switches.delete(object);
        lit.set(output, first);
        tell(message(object, mode, word(first)));
      },
      close() {},
    } as never;
  };
  const wayland = await openWayland(connect, fakeClock(), { socket: '/x', timeoutMs: 1000 });
  const powers = () => [...lit.values()].map((value) => (value === on ? 'on' : value === off ? 'off' : value));
  /** As if somebody else had done it. */
  const switchOff = (index: number) => {
    const output = outputIds[index] ?? 0;
    lit.set(output, off);
    const [found] = [...switches].find(([, of]) => of === output) ?? [];
    if (found !== undefined) say(message(found, mode, word(off)));
  };
  return { wayland, powers, switches, switchOff };
}

for (const words of [wlr, kde])
  test(`a display is switched by ${words.kind}, and the others are not`, async () => {
    const { wayland, powers } = await compositor(words);
    const outputs = await followOutputs(wayland, () => {});
    await wayland.sync();
    expect(outputs.hasPower()).toBe(true);
    const [first] = outputs.list();
    if (first === undefined) throw new Error('no output');
    outputs.setPower(first, 'off');
    await wayland.sync();
    expect(powers()).toEqual(['off', 'on']);
    expect(first.power).toBe('off');
    outputs.setPower(first, 'on');
    await wayland.sync();
    expect(powers()).toEqual(['on', 'on']);
  });

test('a switch that keeps others from theirs is held for a moment only', async () => {
  const { wayland, switches, switchOff } = await compositor(wlr);
  let changes = 0;
  const outputs = await followOutputs(wayland, () => changes++);
  expect(switches.size).toBe(0);
  await outputs.lookAtPower();
  expect(outputs.list().map(({ power }) => power)).toEqual(['on', 'on']);
  expect(switches.size).toBe(0);
  const before = changes;
  switchOff(1);
  await outputs.lookAtPower();
  expect(outputs.list().map(({ power }) => power)).toEqual(['on', 'off']);
  // A look is not news: it would be followed by the next one, for ever.
  expect(changes).toBe(before);
});

test('where nobody is kept out, changes are told', async () => {
  const { wayland, switchOff } = await compositor(kde);
  let changes = 0;
  const outputs = await followOutputs(wayland, () => changes++);
  await wayland.sync();
  const before = changes;
  switchOff(0);
  expect(changes).toBe(before + 1);
  expect(outputs.list().map(({ power }) => power)).toEqual(['off', 'on']);
});

test('a display that cannot be switched is not called on, also when it says so, and is known to be one', async () => {
  const { wayland } = await compositor(kde, { fixed: true });
  const outputs = await followOutputs(wayland, () => {});
  await wayland.sync();
  expect(outputs.list().map(({ power, isFixed }) => [power, isFixed])).toEqual([
    ['on', false],
    [null, true],
  ]);
});

test('a display whose switch another program holds is unknown, and asking for it harms nobody', async () => {
  const { wayland, powers } = await compositor(wlr, { held: true });
  const outputs = await followOutputs(wayland, () => {});
  await outputs.lookAtPower();
  expect(outputs.list().map(({ power }) => power)).toEqual(['on', null]);
  const [, second] = outputs.list();
  if (second === undefined) throw new Error('no output');
  outputs.setPower(second, 'off');
  await wayland.sync();
  expect([second.power, powers()]).toEqual([null, ['on', 'on']]);
});
