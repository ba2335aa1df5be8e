import { expect, test } from 'bun:test';
import { lacks } from '../../test/harness/lacks.ts';
import { currentPlatform } from '../lib/platform.ts';
import { createEnvironment } from './environment.ts';
import { linuxPaths } from './linux/linux-paths.ts';
import { createPaths } from './paths.ts';
import { darwinPaths } from './plain-host.ts';
import { windowsPaths } from './windows/windows-paths.ts';

const home = '/home/ada';
const customary = { linux: linuxPaths, windows: windowsPaths, darwin: darwinPaths };

test.skipIf(lacks('paths')).each([
  [
    'linux',
    {},
    { config: '/home/ada/.config/hostler', state: '/home/ada/.local/state/hostler', runtime: '/run/user/7' },
  ],
  [
    'linux',
    { XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s', XDG_RUNTIME_DIR: '/run/user/1' },
    { config: '/c/hostler', state: '/s/hostler', runtime: '/run/user/1' },
  ],
  [
    'linux',
    { XDG_CONFIG_HOME: 'relative' },
    { config: '/home/ada/.config/hostler', state: '/home/ada/.local/state/hostler', runtime: '/run/user/7' },
  ],
  [
    'linux',
    { SERVICE_CONFIG_DIR: '/etc/hostler', SERVICE_STATE_DIR: '/var/lib/hostler' },
    { config: '/etc/hostler', state: '/var/lib/hostler', runtime: '/run/user/7' },
  ],
  [
    'darwin',
    {},
    {
      config: '/home/ada/Library/Application Support/hostler',
      state: '/home/ada/Library/Application Support/hostler',
      runtime: null,
    },
  ],
  ['windows', { LOCALAPPDATA: '/local' }, { config: '/local/hostler', state: '/local/hostler', runtime: null }],
] as const)('the directories on %s with the variables %j', (platform, variables, expected) => {
  const environment = { ...createEnvironment({ HOME: home, ...variables }), uid: 7 };
  expect(createPaths(environment, customary[platform](environment))).toEqual(expected);
});

test.skipIf(currentPlatform !== 'windows')('the directories on Windows', () => {
  const environment = createEnvironment({ LOCALAPPDATA: 'C:\\Users\\ada\\AppData\\Local', SERVICE_STATE_DIR: 'D:\\s' });
  const config = 'C:\\Users\\ada\\AppData\\Local\\hostler';
  expect(createPaths(environment, windowsPaths(environment))).toEqual({ config, state: 'D:\\s', runtime: null });
});
