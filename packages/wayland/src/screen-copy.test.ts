import { expect, test } from 'bun:test';
import type { WaylandEvent } from './connection.ts';
import { openScreenCopy } from './screen-copy.ts';
import { scriptedWayland } from './testing/scripted-wayland.ts';

const event = (...values: number[]): WaylandEvent => {
  const next = () => values.shift() ?? 0;
  return { uint: next, int: next, text: String, words: () => [] };
};

function scripted(kinds: string[]) {
  const { wayland, bind, names, requests, emit, close } = scriptedWayland(kinds);
  const copy = openScreenCopy(wayland, { bind }, (format) => (format === 1 ? 4 : null));
  const send = (id: number, opcode: number, ...values: number[]) => emit(id, opcode, event(...values));
  const made = (kind: string) => Number(requests.find(([object]) => object === names.get(kind))?.[2]);
  return { copy, emit: send, requests, made, close };
}

const wlr = ['wl_shm', 'zwlr_screencopy_manager_v1'];
const ext = ['wl_shm', 'ext_output_image_capture_source_manager_v1', 'ext_image_copy_capture_manager_v1'];
const output = { id: 77, turn: 3 };
const shared: unknown[] = [];
const share = (size: unknown, request: () => void) => {
  shared.push(size);
  request();
};

test('wlr-screencopy gets a buffer of the requested size in a supported format', async () => {
  const { copy, emit, requests, made } = scripted(wlr);
  const picture = copy?.copy(output, share);
  const frame = made('zwlr_screencopy_manager_v1');
  expect(requests[0]?.slice(1)).toEqual([0, frame, 0, 77]);
  emit(frame, 0, 999, 10, 20, 40);
  emit(frame, 0, 1, 10, 20, 48);
  emit(frame, 6);
  expect(shared.at(-1)).toEqual({ width: 10, height: 20, stride: 48 });
  const [pool, buffer, destroyed, copied] = requests.slice(1);
  expect(pool?.slice(1)).toEqual([0, expect.any(Number), 48 * 20]);
  expect(buffer).toEqual([pool?.[2], 0, expect.any(Number), 0, 10, 20, 48, 1]);
  expect(destroyed).toEqual([pool?.[2], 1]);
  expect(copied).toEqual([frame, 0, buffer?.[2]]);
  emit(frame, 1, 1);
  emit(frame, 2, 0, 0, 0);
  expect(await picture).toEqual({ format: 1, width: 10, height: 20, stride: 48, upsideDown: true, turn: 3 });
});

test('ext-image-copy-capture is preferred, and reports the rotation of the picture', async () => {
  const { copy, emit, requests, made } = scripted([...ext, ...wlr]);
  const picture = copy?.copy(output, share);
  const source = made('ext_output_image_capture_source_manager_v1');
  const session = made('ext_image_copy_capture_manager_v1');
  expect(requests.slice(0, 2).map((request) => request.slice(1))).toEqual([
    [0, source, 77],
    [0, session, source, 0],
  ]);
  emit(session, 0, 10, 20);
  emit(session, 1, 999);
  emit(session, 1, 1);
  emit(session, 4);
  const frame = Number(requests.find(([object]) => object === session)?.[2]);
  expect(requests.filter(([object]) => object === frame).map(([, ...rest]) => rest)).toEqual([
    [1, expect.any(Number)],
    [2, 0, 0, 10, 20],
    [3],
  ]);
  // A repeated list of formats does not start a second frame.
  emit(session, 4);
  expect(requests.filter(([object]) => object === session)).toHaveLength(1);
  emit(frame, 0, 2);
  emit(frame, 3);
  expect(await picture).toEqual({ format: 1, width: 10, height: 20, stride: 40, upsideDown: false, turn: 2 });
});

test.each([
  ['wlr', wlr, 'zwlr_screencopy_manager_v1', 3],
  ['ext', ext, 'ext_image_copy_capture_manager_v1', 5],
])('%s: a removed display is refused', async (_name, kinds, kind, opcode) => {
  const { copy, emit, made } = scripted(kinds);
  const picture = copy?.copy(output, share);
  emit(made(kind), opcode);
  await expect(picture).rejects.toThrow('switched off or removed');
});

test('unknown formats, missing memory and the end of the compositor are refused', async () => {
  const strange = scripted(wlr);
  const first = strange.copy?.copy(output, share);
  strange.emit(strange.made('zwlr_screencopy_manager_v1'), 0, 0x42, 1, 1, 4);
  strange.emit(strange.made('zwlr_screencopy_manager_v1'), 6);
  await expect(first).rejects.toThrow('in an unknown format (42)');

  const refusing = scripted(wlr);
  const second = refusing.copy?.copy(output, () => {
    throw new Error('the memory cannot be allocated');
  });
  refusing.emit(refusing.made('zwlr_screencopy_manager_v1'), 0, 1, 9, 9, 36);
  refusing.emit(refusing.made('zwlr_screencopy_manager_v1'), 6);
  await expect(second).rejects.toThrow('the memory cannot be allocated');

  const ending = scripted(ext);
  const third = ending.copy?.copy(output, share);
  ending.close(new Error('the compositor closed the connection'));
  await expect(third).rejects.toThrow('closed the connection');
});

test('screen copy is null without either protocol or without shared memory', () => {
  for (const kinds of [['wl_shm'], ['zwlr_screencopy_manager_v1'], ['wl_shm', 'ext_image_copy_capture_manager_v1']])
    expect(scripted(kinds).copy).toBeNull();
});
