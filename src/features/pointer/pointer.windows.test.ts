import { describe, expect, test } from 'bun:test';
import { fakeActionContext, fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { desktopShown, hiddenDesktops, nativeOf } from '../../../test/doubles/recorded-native.ts';
import { joined, structBytes } from '../../../test/harness/struct-bytes.ts';
import { createControlPause } from '../../core/control-pause.ts';
import { createOpenPrompts } from '../../core/prompts/open-prompt.ts';
import {
  DISPLAYCONFIG_MODE_INFO,
  DISPLAYCONFIG_PATH_INFO,
  DISPLAYCONFIG_TARGET_DEVICE_NAME,
} from '../../host/windows/native/user32.structs.ts';
import type { MouseInput, PointerState } from '../../host/windows/native/user32.ts';
import type { PointerClickInput } from './pointer.schema.ts';
import { pointerActions } from './pointer.ts';

const [move, click, scroll] = pointerActions;

/** Two displays, the second one to the left of the first and higher. */
const places = [
  { id: 'A', x: 0, y: 0, width: 1920, height: 1080 },
  { id: 'B', x: -2560, y: -300, width: 2560, height: 1440 },
];
const state: PointerState = { x: 10, y: 20, left: -2560, top: -300, width: 4480, height: 1440, isSwapped: false };

interface Machine {
  state?: PointerState | null;
  taken?: (inputs: MouseInput[]) => number;
  given?: Parameters<typeof fakeActionContext>[1];
  shown?: ReturnType<typeof desktopShown>;
}

function machine({
  state: current = state,
  taken = ({ length }) => length,
  given = {},
  shown = desktopShown(),
}: Machine = {}) {
  const sent: MouseInput[][] = [];
  const user32 = {
    pointerState: () => current,
    sendPointer(inputs: MouseInput[]) {
      sent.push(inputs);
      return taken(inputs);
    },
    displayConfig: () => ({
      paths: joined(
        ...places.map((_, at) =>
          structBytes(DISPLAYCONFIG_PATH_INFO, { 'sourceInfo.modeInfoIdx': at, 'targetInfo.id': at }),
        ),
      ),
      modes: joined(
        ...places.map(({ x, y, width, height }) =>
          structBytes(DISPLAYCONFIG_MODE_INFO, {
            infoType: 1,
            'sourceMode.width': width,
            'sourceMode.height': height,
            'sourceMode.position.x': x,
            'sourceMode.position.y': y,
          }),
        ),
      ),
    }),
    targetName: (_adapter: number[], id: number) =>
      structBytes(DISPLAYCONFIG_TARGET_DEVICE_NAME, { monitorDevicePath: places[id]?.id ?? '' }),
    sourceName: () => null,
  };
  const host = fakeHost({
    platform: 'windows',
    native: nativeOf({ user32, ...shown }),
    storage: memoryStorage(),
    paths: { config: '/c', state: '/s', runtime: null },
  } as never);
  const { context } = fakeActionContext(host, given);
  return { sent, context };
}

/** The pixel that a MOUSEINPUT addresses, as Windows divides the desktop. */
const pixel = ({ dx, dy }: MouseInput) => [
  state.left + Math.floor((dx * state.width) / 65_536),
  state.top + Math.floor((dy * state.height) / 65_536),
];
const flags = (inputs: MouseInput[] | undefined) => inputs?.map((one) => one.flags.toString(16));

const withoutPlace = ({ x, y, ...rest }: PointerClickInput) => rest;

describe('the pointer of Windows', () => {
  test.each([
    [{ x: 0, y: 0 }, ['A', 0, 0], [0, 0]],
    [{ x: 1919, y: 1079 }, ['A', 1919, 1079], [1919, 1079]],
    [{ x: -2560, y: -300 }, ['B', 0, 0], [-2560, -300]],
    [{ x: -1, y: 7.9 }, ['B', 2559, 307.9], [-1, 7]],
    [{ x: 5, y: 6, display: 'B' }, ['B', 5, 6], [-2555, -294]],
    [{ x: 2559, y: 1439, display: 'B' }, ['B', 2559, 1439], [-1, 1139]],
  ])('%p is a pixel of a display', async (input, expected, place) => {
    const { sent, context } = machine();
    const { data } = await move.run(input, context);
    expect([data?.display, data?.x, data?.y] as unknown[]).toEqual(expected);
    expect(sent.map((inputs) => inputs.map(pixel))).toEqual([[place]]);
    expect(flags(sent[0])).toEqual(['c001']);
  });

  test('every pixel of the desktop can be reached', async () => {
    const { sent, context } = machine();
    for (let x = state.left; x < state.left + state.width; x += 1) await move.run({ dx: x - state.x, dy: 0 }, context);
    expect(sent.map(([one]) => (one === undefined ? null : pixel(one)[0]))).toEqual(
      Array.from({ length: state.width }, (_, at) => state.left + at),
    );
  });

  test('a relative move starts at the pointer, and ends at the edge', async () => {
    const { sent, context } = machine();
    expect((await move.run({ dx: -20, dy: 5 }, context)).data).toEqual({ display: null, x: null, y: null });
    await move.run({ dx: 10_000 }, context);
    await move.run({ dx: -10_000, dy: -10_000 }, context);
    expect(sent.map(([one]) => one && pixel(one))).toEqual([
      [-10, 25],
      [1919, 20],
      [-2560, -300],
    ]);
  });

  test.each([
    [{ x: 0, y: -1 }, 'invalid', 'no display shows 0, -1'],
    [{ x: 1920, y: 0, display: 'A' }, 'invalid', 'is not on A'],
    [{ x: 1, y: 1, display: 'C' }, 'not_found', 'connected: A, B'],
  ])('%p is refused, and nothing is moved or clicked', async (input, code, sentence) => {
    const { sent, context } = machine();
    for (const action of [move, click])
      await expect(action.run(input, context)).rejects.toMatchObject({
        code,
        message: expect.stringContaining(sentence),
      });
    expect(sent).toEqual([]);
  });

  test.each([
    [{}, false, ['2', '4']],
    [{ button: 'right' }, false, ['8', '10']],
    [{ button: 'middle', count: 3 }, false, ['20', '40', '20', '40', '20', '40']],
    [{ count: 2, x: 1, y: 1 }, false, ['c001', '2', '4', '2', '4']],
    // The primary button is the one that programs treat as left.
    [{}, true, ['8', '10']],
    [{ button: 'right' }, true, ['2', '4']],
    [{ button: 'middle' }, true, ['20', '40']],
  ] as const)('a click as in %p, with swapped buttons %p, is sent in one call', async (input, isSwapped, expected) => {
    const { sent, context } = machine({ state: { ...state, isSwapped } });
    const { data } = await click.run(input, context);
    expect<object | undefined>(data).toEqual({ button: 'left', count: 1, ...withoutPlace(input) });
    expect(sent.map(flags)).toEqual([[...expected]]);
  });

  test('the wheel turns step by step: down is negative, right is positive', async () => {
    const { sent, context } = machine();
    expect((await scroll.run({ dx: 1, dy: 2 }, context)).data).toEqual({ dx: 1, dy: 2 });
    await scroll.run({ dx: -1, dy: -1 }, context);
    await scroll.run({ dy: 0 }, context);
    expect(sent.map((inputs) => inputs.map((one) => [one.flags, one.data]))).toEqual([
      [
        [0x800, -120],
        [0x800, -120],
        [0x1000, 120],
      ],
      [
        [0x800, 120],
        [0x1000, -120],
      ],
    ]);
  });

  test.each([
    [0, ['c001', '2', '4', '2', '4'], null],
    [1, ['c001', '2', '4', '2', '4'], null],
    [2, ['c001', '2', '4', '2', '4'], ['4']],
    [3, ['c001', '2', '4', '2', '4'], null],
    [4, ['c001', '2', '4', '2', '4'], ['4']],
  ])(
    'when Windows accepts only %i inputs, no button stays down, and an error is reported',
    async (first, asked, release) => {
      let calls = 0;
      const { sent, context } = machine({ taken: ({ length }) => (calls++ === 0 ? first : length) });
      await expect(click.run({ count: 2, x: 1, y: 1 }, context)).rejects.toMatchObject({
        code: 'failed',
        message: expect.stringContaining('higher rights'),
      });
      expect(sent.map(flags)).toEqual(release === null ? [asked] : [asked, release]);
    },
  );

  test('a locked screen has no pointer', async () => {
    const { sent, context } = machine({ state: null });
    await expect(click.run({}, context)).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining('the screen is locked'),
    });
    expect(await click.unavailable(context)).toContain('the screen is locked');
    expect(await click.unavailable(machine().context)).toBeNull();
    expect(sent).toEqual([]);
  });

  test('nothing is done while control is paused or a permission prompt is open', async () => {
    const { host, log } = machine().context;
    const controlPause = createControlPause(host, log);
    const answered = new AbortController();
    const prompts = createOpenPrompts(
      (_prompt, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('denied'))),
      { clock: host.clock, log },
    );
    const { sent, context } = machine({ given: { controlPause, prompts } });
    const asking = prompts.ask({ title: 'May this device be paired?', text: '' }, answered.signal);
    const refused = () =>
      Promise.all([
        move.run({ dx: 1 }, context).catch((error) => error),
        click.run({}, context).catch((error) => error),
        scroll.run({ dy: 1 }, context).catch((error) => error),
      ]);
    for (const error of await refused()) expect(error).toMatchObject({ code: 'conflict' });
    answered.abort();
    await asking;
    controlPause.pause(null, 'phone');
    for (const error of await refused())
      expect(error).toMatchObject({ code: 'conflict', message: expect.stringContaining('Control is paused') });
    expect(sent).toEqual([]);
    controlPause.resume();
    await click.run({}, context);
    expect(sent).toHaveLength(1);
  });
});

test('a pause during the check of the desktop prevents the click', async () => {
  const { host, log } = machine().context;
  const controlPause = createControlPause(host, log);
  const shown = desktopShown();
  const isShown = () => {
    controlPause.pause(null, 'phone');
    return true;
  };
  const { sent, context } = machine({
    given: { controlPause },
    shown: { ...shown, inputDesktop: { ...shown.inputDesktop, isShown } },
  });
  await expect(click.run({}, context)).rejects.toThrow('Control was paused');
  expect(sent).toEqual([]);
});

test.each(hiddenDesktops)('%s no input is sent', async (_when, shown, sentence) => {
  const { context, sent } = machine({ shown });
  await expect(click.run({}, context)).rejects.toThrow(sentence);
  await expect(scroll.run({ dy: 1 }, context)).rejects.toThrow(sentence);
  expect(sent).toEqual([]);
});
