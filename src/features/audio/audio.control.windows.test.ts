import { expect, test } from 'bun:test';
import { fakeActionContext } from '../../../test/doubles/fake-host.ts';
import type { Scope } from '../../access/scopes.ts';
import type { AudioEndpoint, AudioSession } from '../../host/windows/com/coreaudio.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { ServiceError } from '../../lib/errors.ts';
import { audioControl } from './audio.actions.ts';
import { audioControlWindows } from './audio.control.windows.ts';
import type { AudioControlInput } from './audio.schema.ts';
import { sessionNumber } from './session-number.windows.ts';

const film: AudioSession = {
  id: '{film}',
  process: 7,
  isSystem: false,
  title: 'A film',
  isActive: true,
  volume: 0.5,
  muted: false,
};
const nameless: AudioSession = { ...film, id: '{nameless}', title: '' };
const device = (flow: 'output' | 'input', id: string, more: Partial<AudioEndpoint> = {}): AudioEndpoint => ({
  flow,
  id,
  name: `Name of ${id}`,
  isDefault: false,
  volume: 0.35,
  muted: false,
  sessions: [],
  ...more,
});
const machine = [
  device('output', 'speakers', { isDefault: true, sessions: [film, nameless] }),
  device('output', 'headphones', { muted: true }),
  device('input', 'microphone', { isDefault: true, volume: 0.8 }),
];

function sound(devices: AudioEndpoint[] | Error = machine, isAllowed = true) {
  const orders: unknown[][] = [];
  const order =
    (name: string) =>
    async (...args: unknown[]) =>
      void orders.push([name, ...args]);
  const audio = {
    async devices() {
      if (devices instanceof Error) throw devices;
      return devices;
    },
    setVolume: order('volume'),
    setMuted: order('mute'),
    setSessionVolume: order('session volume'),
    setSessionMuted: order('session mute'),
    setDefault: order('default'),
  };
  const host = { platform: 'windows', nativeElsewhere: () => audio } as unknown as WindowsHost;
  const { unavailable, control } = audioControlWindows(host);
  const mayOpen = () => {
    if (!isAllowed) throw new ServiceError('forbidden', 'no microphone');
  };
  return { control: { unavailable, control: (input: AudioControlInput) => control(input, mayOpen) }, host, orders };
}

test.each<[AudioControlInput, unknown[], object]>([
  [{ action: 'VOLUME', value: 20 }, ['volume', 'speakers', 0.2], { device: 'speakers', volume: 20, is_muted: false }],
  [{ action: 'VOLUME_UP', value: 7 }, ['volume', 'speakers', 0.42], { volume: 42 }],
  [{ action: 'VOLUME_DOWN', value: 90 }, ['volume', 'speakers', 0], { volume: 0 }],
  [{ action: 'VOLUME_UP', value: 90 }, ['volume', 'speakers', 1], { volume: 100 }],
  [{ action: 'MUTE', device: 'headphones' }, ['mute', 'headphones', false], { device: 'headphones', is_muted: false }],
  [{ action: 'MUTE', value: true, kind: 'source' }, ['mute', 'microphone', true], { device: 'microphone' }],
  [{ action: 'VOLUME', value: 10, kind: 'recording' }, ['volume', 'microphone', 0.1], { device: 'microphone' }],
  [{ action: 'DEFAULT', device: 'headphones' }, ['default', 'headphones'], { device: 'headphones', volume: 35 }],
  [
    { action: 'VOLUME', value: 10, stream: sessionNumber('{film}') },
    ['session volume', 'speakers', '{film}', 0.1],
    { stream: sessionNumber('{film}'), volume: 10 },
  ],
  [
    { action: 'MUTE', stream: sessionNumber('{nameless}') },
    ['session mute', 'speakers', '{nameless}', true],
    { is_muted: true },
  ],
])('the request %j causes the call %j', async (input, order, data) => {
  const { control, orders } = sound();
  expect((await control.control(input)).data).toMatchObject({ action: input.action, ...data });
  expect(orders).toEqual([order]);
});

test('messages name the changed device or program, also without a title', async () => {
  const { control } = sound();
  const say = async (input: AudioControlInput) => (await control.control(input)).message;
  expect(await say({ action: 'VOLUME', value: 20 })).toContain('Name of speakers');
  expect(await say({ action: 'MUTE', stream: sessionNumber('{film}') })).toContain('A film');
  expect(await say({ action: 'MUTE', stream: sessionNumber('{nameless}') })).toContain('The stream ');
  expect(await say({ action: 'DEFAULT', device: 'headphones' })).toBe('Name of headphones is now the default');
});

test.each<[AudioControlInput, string]>([
  [{ action: 'VOLUME', value: 120 }, 'does not amplify'],
  [{ action: 'VOLUME', value: 1, device: 'x' }, 'There is no output or input "x"'],
  // An output is not an input.
  [{ action: 'VOLUME', value: 1, device: 'speakers', kind: 'source' }, 'There is no output or input "speakers"'],
  [{ action: 'MUTE', stream: 1 }, 'There is no stream 1'],
  [{ action: 'MUTE', stream: sessionNumber('{film}'), kind: 'recording' }, 'There is no stream'],
  [{ action: 'DEFAULT' }, 'DEFAULT needs device'],
  [{ action: 'MOVE', stream: sessionNumber('{film}'), device: 'headphones' }, 'does not let a program move'],
])('the request %j is refused: %s', async (input, sentence) => {
  const { control, orders } = sound();
  await expect(control.control(input)).rejects.toThrow(sentence);
  expect(orders).toEqual([]);
});

test('a missing output and a failure of Windows are errors with a reason', async () => {
  await expect(sound([]).control.control({ action: 'MUTE' })).rejects.toThrow('There is no default output');
  const broken = sound(new Error('IMMDeviceEnumerator failed with 0x80070005')).control;
  await expect(broken.control({ action: 'MUTE' })).rejects.toThrow('Windows reported a failure: IMMDeviceEnumerator');
  expect(await broken.unavailable()).toContain('0x80070005');
  expect(await sound().control.unavailable()).toBeNull();
});

const recorder = { ...film, id: '{recorder}', muted: true };
const quiet = [
  device('output', 'speakers', { isDefault: true, muted: true }),
  device('input', 'microphone', { isDefault: true, muted: true, sessions: [recorder] }),
  device('input', 'headset', { volume: 0 }),
  device('input', 'webcam'),
];

test.each<[AudioControlInput, boolean]>([
  [{ action: 'MUTE', kind: 'source' }, true],
  [{ action: 'MUTE', value: false, device: 'microphone' }, true],
  [{ action: 'VOLUME_UP', device: 'headset' }, true],
  [{ action: 'MUTE', stream: sessionNumber('{recorder}') }, true],
  [{ action: 'DEFAULT', device: 'webcam' }, true],
  [{ action: 'MUTE', value: true, kind: 'source' }, false],
  [{ action: 'VOLUME', value: 90, kind: 'source' }, false],
  [{ action: 'MUTE', device: 'webcam' }, false],
  [{ action: 'VOLUME', value: 10, device: 'webcam' }, false],
  [{ action: 'DEFAULT', device: 'headset' }, false],
  [{ action: 'MUTE', value: false }, false],
])('%j needs permission for the microphone: %p', async (input, opens) => {
  const { control, orders } = sound(quiet, false);
  if (opens) await expect(control.control(input)).rejects.toThrow('no microphone');
  else await control.control(input);
  expect(orders).toHaveLength(opens ? 0 : 1);
  await sound(quiet).control.control(input);
});

test('a token with media alone mutes a microphone, and needs control to unmute it', async () => {
  const { host, orders } = sound(quiet);
  const context = fakeActionContext(host as never).context;
  const as = (...scopes: Scope[]) => ({
    ...context,
    caller: { ...context.caller, tokenName: 'phone', tokenId: 'phone', isExtensible: true, scopes: new Set(scopes) },
  });
  await audioControl.run({ action: 'MUTE', value: true, kind: 'source' }, as('media'));
  const unmute = (...scopes: Scope[]) =>
    audioControl.run({ action: 'MUTE', value: false, kind: 'source' }, as(...scopes));
  await expect(unmute('media')).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringMatching(/needs the scope "control".*token change phone --add-scope control" on the machine/),
  });
  await unmute('media', 'control');
  expect(orders).toEqual([
    ['mute', 'microphone', true],
    ['mute', 'microphone', false],
  ]);
});
