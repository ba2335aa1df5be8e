import { expect, test } from 'bun:test';
import { packageUpdate } from './package-update.ts';

test.each<[string, string, string | null]>([
  ['/usr/bin/hostler', '/var/lib/dpkg/info/hostler.list', 'sudo apt install ./hostler_VERSION-1_amd64.deb'],
  ['/usr/bin/hostler', '/usr/bin/pacman', 'sudo pacman -U hostler-VERSION-1-x86_64.pkg.tar.zst'],
  ['/usr/bin/hostler', '/usr/bin/zypper', 'sudo zypper install ./hostler-VERSION-1.x86_64.rpm'],
  ['/usr/bin/hostler', '/usr/bin/dnf', 'sudo dnf install ./hostler-VERSION-1.x86_64.rpm'],
  ['/usr/bin/hostler', '/usr/bin/apk', null],
  ['/usr/local/bin/hostler', '/usr/bin/dnf', null],
  ['/usr/bin/bun', '/usr/bin/dnf', null],
])('%s on a machine with %s is updated by %p', (program, present, command) => {
  expect(packageUpdate({ files: { exists: (file) => file === present } }, program, 'x64')).toBe(command);
});

test('the file is that of the processor', () => {
  const files = { exists: (file: string) => file === '/usr/bin/dnf' };
  expect(packageUpdate({ files }, '/usr/bin/hostler', 'arm64')).toBe(
    'sudo dnf install ./hostler-VERSION-1.aarch64.rpm',
  );
});
