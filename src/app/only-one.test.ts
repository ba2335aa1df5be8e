import { expect, test } from 'bun:test';
import { holdInstance } from './only-one.ts';

test('each state directory has one name, however it is written, and none that Windows does not take', () => {
  const names: string[] = [];
  const instance = { hold: (name: string) => names.push(name) === 1 };
  expect(holdInstance(instance, 'C:\\Users\\Ada\\hostler')).toBe(true);
  expect(holdInstance(instance, 'c:\\users\\ada\\hostler')).toBe(false);
  holdInstance(instance, `C:\\${'long\\'.repeat(100)}hostler`);
  expect(names[0]).toBe(names[1]);
  for (const name of names) {
    expect(name.startsWith('Local\\')).toBe(true);
    expect(name.slice(6)).not.toContain('\\');
    expect(name.length).toBeLessThan(260);
  }
});
