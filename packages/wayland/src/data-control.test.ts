import { expect, test } from 'bun:test';
import type { WaylandEvent } from './connection.ts';
import { openDataControl } from './data-control.ts';
import { scriptedWayland } from './testing/scripted-wayland.ts';

const never = (): never => {
  throw new Error('not requested');
};
const event = (...values: (number | string)[]): WaylandEvent => ({
  uint: () => Number(values.shift()),
  int: never,
  text: () => String(values.shift()),
  words: never,
});

function scripted(kinds: string[]) {
  const { wayland, bind, lastId, requests, handlers, emit } = scriptedWayland(kinds);
  const control = openDataControl(wayland, { bind });
  const device = lastId();
  const send = (id: number, opcode: number, ...values: (number | string)[]) => emit(id, opcode, event(...values));
  return { control, device, emit: send, requests, handlers };
}

const both = ['wl_seat', 'ext_data_control_manager_v1'];

test.each([[both], [['wl_seat', 'zwlr_data_control_manager_v1']]])('%p shows what was copied', (kinds) => {
  const { control, device, emit, requests } = scripted(kinds);
  emit(device, 0, 900);
  emit(900, 0, 'text/plain');
  emit(900, 0, 'image/png');
  expect(control?.offer()).toBeNull();
  emit(device, 1, 900);
  expect([...(control?.offer()?.types ?? [])]).toEqual(['text/plain', 'image/png']);
  control?.offer()?.receive('image/png');
  expect(requests.at(-1)).toEqual([900, 0, 'image/png']);
});

test('earlier offers and the primary selection are destroyed', () => {
  const { control, device, emit, requests, handlers } = scripted(both);
  for (const id of [900, 901]) {
    emit(device, 0, id);
    emit(device, 1, id);
  }
  expect(requests).toContainEqual([900, 1]);
  emit(device, 0, 902);
  emit(device, 3, 902);
  expect(requests).toContainEqual([902, 1]);
  emit(device, 1, 0);
  expect(control?.offer()).toBeNull();
  expect([900, 901, 902].filter((id) => handlers.has(id))).toEqual([]);
});

test('the number of types and offers is limited', () => {
  const { control, device, emit } = scripted(both);
  emit(device, 0, 900);
  for (let index = 0; index < 5000; index++) emit(900, 0, `x/${index}`);
  emit(900, 0, 'x'.repeat(10_000));
  emit(device, 1, 900);
  expect(control?.offer()?.types.size).toBe(256);
  expect(() => {
    for (let index = 0; index < 5000; index++) emit(device, 0, 1000 + index);
  }).toThrow('too many offers');
});

test('own content is offered in every type, and released when another program copies', () => {
  const { control, emit, requests } = scripted(both);
  const received: string[] = [];
  control?.own(
    ['a/b', 'c/d'],
    (type) => received.push(type),
    () => received.push('lost'),
  );
  const source = Number(requests.find(([, opcode, ...rest]) => opcode === 0 && rest.length === 1)?.[2]);
  expect(requests).toContainEqual([source, 0, 'a/b']);
  expect(requests).toContainEqual([source, 0, 'c/d']);
  emit(source, 0, 'c/d');
  emit(source, 1);
  emit(source, 0, 'a/b');
  expect(received).toEqual(['c/d', 'lost']);
});

test('data control is null without the protocol or a seat', () => {
  for (const kinds of [['wl_seat'], ['ext_data_control_manager_v1']]) expect(scripted(kinds).control).toBeNull();
});
