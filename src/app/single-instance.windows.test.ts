import { expect, test } from 'bun:test';
import { instanceName } from './single-instance.windows.ts';

test('a state directory has one instance name, whatever its case, and Windows accepts the name', () => {
  const name = instanceName('C:\\Users\\Ada\\hostler');
  expect(instanceName('c:\\users\\ada\\hostler')).toBe(name);
  for (const each of [name, instanceName(`C:\\${'long\\'.repeat(100)}hostler`)]) {
    expect(each.startsWith('Local\\')).toBe(true);
    expect(each.slice(6)).not.toContain('\\');
    expect(each.length).toBeLessThan(260);
  }
});
