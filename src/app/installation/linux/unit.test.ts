import { expect, test } from 'bun:test';
import { unitText, unitWord } from './unit.ts';

test('a path is one word for systemd, whatever it contains', () => {
  expect(unitWord('/usr/bin/hostler')).toBe('/usr/bin/hostler');
  expect(unitWord('--config=/dev/null')).toBe('--config=/dev/null');
  expect(unitWord('/home/a b/100%/$x"\\/hostler')).toBe('"/home/a b/100%%/$$x\\"\\\\/hostler"');
});

test('only the unit of the machine has its own account', () => {
  expect(unitText('system', ['/usr/bin/hostler', 'serve'])).toContain('\nUser=hostler\n');
  expect(unitText('user', ['/usr/bin/hostler', 'serve'])).not.toContain('User=');
  expect(unitText('user', ['/usr/bin/hostler', 'serve'])).toContain('\nExecStart=/usr/bin/hostler serve\n');
});
