import { expect, test } from 'bun:test';
import { collectReasons, testEachMachine, unexplained } from '../../../test/harness/machines.ts';
import type { AudioEndpoint, AudioSession } from '../../host/windows/com/coreaudio.ts';
import { audio } from './audio.ts';
import { audioWindows, describeAudio } from './audio.windows.ts';

testEachMachine('windows', import.meta.dirname, audio.module, audioWindows);

const device = (given: Partial<AudioEndpoint>): AudioEndpoint => ({
  flow: 'output',
  id: '{1}',
  name: 'Speakers',
  isDefault: true,
  volume: 0.354,
  muted: false,
  sessions: [],
  ...given,
});
const session = (given: Partial<AudioSession>): AudioSession => ({
  id: 's',
  process: 7,
  isSystem: false,
  title: '',
  isActive: true,
  volume: 1,
  muted: false,
  ...given,
});
const programOf = (process: number) => (process === 7 ? 'C:\\Program Files\\Player\\player.exe' : null);

test('programs, system sounds and a program that may not be read', () => {
  const { reasons, collected } = collectReasons();
  const sessions = [
    session({}),
    session({
      id: 't',
      process: 0,
      isSystem: true,
      title: '@%SystemRoot%\\System32\\AudioSrv.Dll,-202',
      isActive: false,
    }),
    session({ id: 'u', process: 9 }),
  ];
  const payload = describeAudio([device({ sessions }), device({ flow: 'input', id: '{2}' })], programOf, reasons);
  expect(payload.sinks).toMatchObject([{ id: '{1}', volume: 35, state: 'running' }]);
  expect(payload.sources).toMatchObject([{ id: '{2}', state: 'idle' }]);
  expect(
    payload.streams.map(({ application, title, process, is_paused }) => [application, title, process, is_paused]),
  ).toEqual([
    ['player.exe', null, 7, false],
    ['System sounds', null, null, true],
    [null, null, 9, false],
  ]);
  expect(new Set(payload.streams.map(({ id }) => id)).size).toBe(3);
  expect(unexplained(payload, collected)).toEqual([]);
});

test('a machine without audio devices', () => {
  const { reasons, collected } = collectReasons();
  const payload = describeAudio([], programOf, reasons);
  expect(payload).toMatchObject({ default_sink: null, default_source: null, sinks: [], streams: [] });
  expect(unexplained(payload, collected)).toEqual([]);
});
