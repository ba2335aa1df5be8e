import { expect, test } from 'bun:test';
import { guarded } from './installation.ts';

test('a program that others can replace is neither installed nor started at login', async () => {
  const done: string[] = [];
  const installation = {
    state: async () => ({ startsAtLogin: false, isSwitchedOff: false, lines: [] }),
    setAutostart: async (isWanted: boolean) => void done.push(`autostart ${isWanted}`),
    install: async () => {
      done.push('install');
      return [];
    },
    remove: async () => [],
  };
  const { install, setAutostart } = guarded(installation, () => Promise.reject(new Error('others can')));
  await expect(install({ mayStart: true })).rejects.toThrow('others can');
  await expect(setAutostart(true)).rejects.toThrow('others can');
  await setAutostart(false);
  expect(done).toEqual(['autostart false']);
});
