import { expect, test } from 'bun:test';
import { packageUpdate } from './package-update.ts';

test.each<[string, string, string | null]>([
  ['/usr/bin/hostler', '/var/lib/dpkg/info/hostler.list', 'sudo apt install ./hostler_*.deb'],
  ['/usr/bin/hostler', '/usr/bin/pacman', 'sudo pacman -U hostler-*.pkg.tar.zst'],
  ['/usr/bin/hostler', '/usr/bin/zypper', 'sudo zypper install ./hostler-*.rpm'],
  ['/usr/bin/hostler', '/usr/bin/dnf', 'sudo dnf install ./hostler-*.rpm'],
  ['/usr/bin/hostler', '/usr/bin/apk', null],
  ['/usr/local/bin/hostler', '/usr/bin/dnf', null],
  ['/usr/bin/bun', '/usr/bin/dnf', null],
])('%s on a machine with %s is updated by %p', (program, present, command) => {
  expect(packageUpdate({ files: { exists: (file) => file === present } }, program)).toBe(command);
});
