import { expect, test } from 'bun:test';
import {
  commandFor,
  isOwnProgram,
  type Registry,
  readAutostart,
  removeAutostart,
  writeAutostart,
} from './autostart-entry.ts';

function registry(values: Record<string, string> = {}) {
  const kept = new Map(Object.entries(values));
  const last = (key: string) => key.split('\\').slice(-2).join('\\');
  const fake: Registry = {
    value: (_root, key, name) => kept.get(`${last(key)}\\${name}`) ?? null,
    setText(_root, key, name, text) {
      kept.set(`${last(key)}\\${name}`, text);
      return true;
    },
    removeValue: (_root, key, name) => kept.delete(`${last(key)}\\${name}`),
  };
  return { fake, kept };
}

const run = 'CurrentVersion\\Run\\Hostler';
const approved = 'StartupApproved\\Run\\Hostler';

test('the autostart entry of Windows is reported as it is', () => {
  expect(readAutostart(registry().fake)).toEqual({ command: null, isSwitchedOff: false });
  expect(readAutostart(registry({ [run]: 'x' }).fake)).toEqual({ command: 'x', isSwitchedOff: false });
  expect(readAutostart(registry({ [run]: 'x', [approved]: '\u0002' }).fake).isSwitchedOff).toBe(false);
  expect(readAutostart(registry({ [run]: 'x', [approved]: '\u0003' }).fake).isSwitchedOff).toBe(true);
  expect(readAutostart(registry({ [approved]: '\u0003' }).fake).isSwitchedOff).toBe(false);
});

test('enabling autostart again overrides the Task Manager', () => {
  const { fake, kept } = registry({ [run]: 'old', [approved]: '\u0003' });
  writeAutostart(fake, 'new');
  expect([...kept]).toEqual([[run, 'new']]);
  removeAutostart(fake);
  removeAutostart(fake);
  expect([...kept]).toEqual([]);
});

test('a refusal is an error', () => {
  const { fake } = registry({ [run]: 'x' });
  expect(() => writeAutostart({ ...fake, setText: () => false }, 'y')).toThrow('refused');
  expect(() => removeAutostart({ ...fake, removeValue: () => false })).toThrow('refused');
});

test('the program is started without a console, and its path may contain spaces', () => {
  const program = 'C:\\Program Files\\Hostler\\hostler.exe';
  expect(commandFor(program)).toBe('"C:\\Program Files\\Hostler\\hostler.exe" serve --background');
  expect([isOwnProgram(program), isOwnProgram('C:\\bun\\Bun.exe')]).toEqual([true, false]);
});
