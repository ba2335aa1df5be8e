import path from 'node:path';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';

/** The command that installs a downloaded package over this program; null: the program did not come from a package. */
export function packageUpdate(
  { files }: { files: Pick<LinuxHost['files'], 'exists'> },
  program = process.execPath,
): string | null {
  if (path.basename(program) !== 'hostler' || !/^\/usr\/(?!local\/)/.test(program)) return null;
  if (files.exists('/var/lib/dpkg/info/hostler.list')) return 'sudo apt install ./hostler_*.deb';
  if (files.exists('/usr/bin/pacman')) return 'sudo pacman -U hostler-*.pkg.tar.zst';
  if (files.exists('/usr/bin/zypper')) return 'sudo zypper install ./hostler-*.rpm';
  return files.exists('/usr/bin/dnf') ? 'sudo dnf install ./hostler-*.rpm' : null;
}
