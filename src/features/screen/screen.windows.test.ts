import { expect, test } from 'bun:test';
import { fakeActionContext, fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { desktopShown, elsewhere, hiddenDesktops, nativeOf } from '../../../test/doubles/recorded-native.ts';
import { until } from '../../../test/harness/until.ts';
import { setPart } from '../../core/part.ts';
import { createOpenPrompts } from '../../core/prompts/open-prompt.ts';
import type { Native } from '../../host/windows/native/native.ts';
import {
  DISPLAYCONFIG_MODE_INFO,
  DISPLAYCONFIG_PATH_INFO,
  DISPLAYCONFIG_SOURCE_DEVICE_NAME,
} from '../../host/windows/native/user32.structs.ts';
import { defaultSettings } from '../index.ts';
import type { PictureOptions, RawPicture } from './pictures/pictures.ts';
import { encodePicture } from './pictures/pictures.ts';
import { screenCapture } from './screen.ts';
import type { ScreenArea } from './windows/screen-copy.ts';

/** Two displays, of which the left one is rotated: its area on the desktop counts, not the size of its panel. */
const left = { x: -1080, y: 0, width: 1080, height: 1920 };
const right = { x: 0, y: 0, width: 2560, height: 1440 };

const configOf = (areas: ScreenArea[]) => {
  const [paths, modes] = [
    Buffer.alloc(areas.length * DISPLAYCONFIG_PATH_INFO.size),
    Buffer.alloc(areas.length * DISPLAYCONFIG_MODE_INFO.size),
  ];
  for (const [index, { x, y, width, height }] of areas.entries()) {
    const path = index * DISPLAYCONFIG_PATH_INFO.size;
    paths.writeUInt32LE(index, path + DISPLAYCONFIG_PATH_INFO.fields['sourceInfo.id'][0]);
    paths.writeUInt32LE(index, path + DISPLAYCONFIG_PATH_INFO.fields['sourceInfo.modeInfoIdx'][0]);
    const mode = index * DISPLAYCONFIG_MODE_INFO.size;
    const { fields } = DISPLAYCONFIG_MODE_INFO;
    modes.writeUInt32LE(1, mode + fields.infoType[0]);
    modes.writeUInt32LE(width, mode + fields['sourceMode.width'][0]);
    modes.writeUInt32LE(height, mode + fields['sourceMode.height'][0]);
    modes.writeInt32LE(x, mode + fields['sourceMode.position.x'][0]);
    modes.writeInt32LE(y, mode + fields['sourceMode.position.y'][0]);
  }
  return { paths, modes };
};

interface Given {
  desktop?: ReturnType<typeof desktopShown>;
  areas?: ScreenArea[] | null;
  front?: ScreenArea | null;
  copy?: (area: ScreenArea) => SharedArrayBuffer;
  notices?: number;
  shown?: boolean;
}

function machine(given: Given = {}) {
  const {
    desktop = desktopShown({ isLocked: null }),
    areas = [left, right],
    front = null,
    notices = 5,
    shown = true,
  } = given;
  const copied: ScreenArea[] = [];
  const encoded: [RawPicture, PictureOptions][] = [];
  const balloons: string[] = [];
  const native = {
    screen: {
      displayArea: ({ x, y }: ScreenArea) => (areas ?? []).find((area) => area.x === x && area.y === y) ?? null,
      frontArea: () => front,
      copy(area: ScreenArea) {
        copied.push(area);
        return given.copy?.(area) ?? new SharedArrayBuffer(8);
      },
    },
    user32: {
      displayConfig: () =>
        areas && configOf(areas.map((area) => (area === left ? { ...area, width: 1920, height: 1080 } : area))),
      targetName: () => null,
      sourceName(_adapter: number[], id: number) {
        const bytes = Buffer.alloc(DISPLAYCONFIG_SOURCE_DEVICE_NAME.size);
        bytes.write(`\\\\.\\DISPLAY${id + 1}`, DISPLAYCONFIG_SOURCE_DEVICE_NAME.fields.viewGdiDeviceName[0], 'utf16le');
        return bytes;
      },
    },
    ...desktop,
    shell32: {
      balloon(_title: string, text: string) {
        balloons.push(text);
        return shown;
      },
      notificationState: () => notices,
    },
    ntdll: { quietHours: () => 0 },
  } as unknown as Native;
  const storage = memoryStorage();
  const host = fakeHost({
    ...({ platform: 'windows', native: nativeOf(native), nativeElsewhere: elsewhere(native) } as object),
    storage,
    paths: { state: '/state', config: '/config', runtime: null } as never,
  });
  setPart(host, encodePicture, async (picture, options) => {
    encoded.push([picture as RawPicture, options]);
    return { format: options.format, bytes: Uint8Array.of(1, 2, 3), width: 4, height: 5 };
  });
  const { context } = fakeActionContext(host, {
    settings: () => ({ ...defaultSettings, screen: { allowed: true, askForAgents: true } }),
  });
  const audit = () =>
    storage.contents.get([...storage.contents.keys()].find((name) => name.endsWith('screen.log')) ?? '') ?? '';
  return { run: (input: object) => screenCapture.run(input, context), context, copied, encoded, balloons, audit };
}

test.each([
  ['the primary one without a name', {}, '\\\\.\\DISPLAY2', right],
  ['the other one by its name', { display: '\\\\.\\DISPLAY1' }, '\\\\.\\DISPLAY1', left],
])('of two displays %s is captured from its area', async (_what, input, display, area) => {
  const { run, copied, encoded, balloons, audit } = machine();
  expect((await run({ ...input, max_width: 640 })).data).toEqual({
    format: 'png',
    display,
    width: 4,
    height: 5,
    size: 3,
    picture: 'AQID',
  });
  expect(copied).toEqual([area]);
  const { width, height } = area;
  expect(encoded).toMatchObject([
    [
      { width, height, stride: width * 4, transform: 0, upsideDown: false, memory: expect.any(SharedArrayBuffer) },
      { format: 'png', maxWidth: 640 },
    ],
  ]);
  await until(() => balloons.length > 0, 'the notice');
  expect(balloons).toEqual(['"main" took a picture of this screen']);
  expect(audit()).not.toContain('undelivered');
});

test('a display right above the primary one is not the primary one', async () => {
  const { run, copied } = machine({ areas: [{ ...right, y: -1440 }, right] });
  await run({});
  expect(copied).toEqual([right]);
});

test('the picture has the requested format', async () => {
  const { run, encoded } = machine();
  expect((await run({ format: 'webp' })).data.format).toBe('webp');
  expect(encoded).toMatchObject([[{}, { format: 'webp' }]]);
});

test('the active window is cut out of the screen', async () => {
  const front = { x: -40, y: 30, width: 200, height: 100 };
  const { run, copied } = machine({ front });
  expect((await run({ window: 'active' })).data.display).toBeNull();
  expect(copied).toEqual([front]);
});

test.each<readonly [string, Given, object, string, RegExp]>([
  ...hiddenDesktops.map(
    ([when, desktop, sentence]) => [when, { desktop }, {}, 'unsupported', new RegExp(sentence)] as const,
  ),
  ['in a disconnected session', { areas: null }, {}, 'unsupported', /a disconnected session/],
])(
  '%s screen capture is unavailable and refused, and nothing is copied',
  async (_when, given, input, code, sentence) => {
    const { run, context, copied } = machine(given);
    expect(await screenCapture.unavailable(context)).toMatch(sentence);
    await expect(run(input)).rejects.toMatchObject({ code, message: expect.stringMatching(sentence) });
    expect(copied).toEqual([]);
  },
);

test.each<[string, Given, object, string, RegExp]>([
  ['an unknown display', {}, { display: 'DP-1' }, 'not_found', /no display "DP-1"; connected: .*DISPLAY1, .*DISPLAY2$/],
  ['no display', { areas: [] }, {}, 'not_found', /No display is switched on/],
  ['no window', { front: null }, { window: 'active' }, 'not_found', /No window is in front/],
  ['an absurd size', { areas: [{ ...right, width: 32_767, height: 32_767 }] }, {}, 'too_large', /36 million pixels/],
])('%s is refused, and nothing is copied', async (_what, given, input, code, sentence) => {
  const { run, context, copied } = machine(given);
  expect(await screenCapture.unavailable(context)).toBeNull();
  await expect(run(input)).rejects.toMatchObject({ code, message: expect.stringMatching(sentence) });
  expect(copied).toEqual([]);
});

test.each([
  ['is open before', 0, /^A permission prompt of Hostler is open: no pictures/],
  ['opens while', 1, /^A permission prompt of Hostler opened while the picture was taken/],
  ['opens and closes while', 1, /^A permission prompt of Hostler opened while the picture was taken/],
] as const)('a permission prompt that %s it is taken is shown to no client', async (when, copies, sentence) => {
  const answered = new AbortController();
  const ask = () => void prompts.ask({ title: 'May this device be paired?', text: '' }, answered.signal);
  const { context, copied, audit } = machine({
    copy() {
      ask();
      if (when === 'opens and closes while') answered.abort();
      return new SharedArrayBuffer(8);
    },
  });
  const prompts = createOpenPrompts(
    (_prompt, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('denied'))),
    { clock: context.host.clock, log: context.log },
  );
  if (when === 'is open before') ask();
  await expect(screenCapture.run({}, { ...context, prompts })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(sentence),
  });
  expect(prompts.current() === null).toBe(when === 'opens and closes while');
  expect(copied).toHaveLength(copies);
  expect(audit()).toBe('');
});

test('a failed copy is an error with an explanation and shows no notice', async () => {
  const { run, balloons } = machine({
    copy() {
      throw new Error('Windows does not allow the screen to be copied now');
    },
  });
  await expect(run({})).rejects.toMatchObject({
    code: 'failed',
    message: 'The picture was not taken: Windows does not allow the screen to be copied now',
  });
  expect(balloons).toEqual([]);
});

test.each<[string, Given, string]>([
  ['keeps notifications back', { notices: 4 }, 'Windows is holding notifications back'],
  ['shows none', { shown: false }, 'no desktop here that shows notifications'],
])('if Windows %s, the notice is recorded as undelivered', async (_what, given, reason) => {
  const { run, balloons, audit } = machine(given);
  await run({});
  await until(() => audit().includes('undelivered'), 'the record says so');
  expect(balloons).toHaveLength(1);
  expect(audit()).toContain(reason);
});
