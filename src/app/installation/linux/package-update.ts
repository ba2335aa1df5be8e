import path from 'node:path';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';

/**
 * The command that installs a downloaded package over this program; null: the program did not come from a package. It names one file: a
 * pattern would also install what others put beside it.
 */
export function packageUpdate(
  { files }: { files: Pick<LinuxHost['files'], 'exists'> },
  program = process.execPath,
  arch: string = process.arch,
): string | null {
  if (path.basename(program) !== 'hostler' || !/^\/usr\/(?!local\/)/.test(program)) return null;
  const [debian, machine] = arch === 'arm64' ? ['arm64', 'aarch64'] : ['amd64', 'x86_64'];
  if (files.exists('/var/lib/dpkg/info/hostler.list')) return `sudo apt install ./hostler_VERSION-1_${debian}.deb`;
  if (files.exists('/usr/bin/pacman')) return `sudo pacman -U hostler-VERSION-1-${machine}.pkg.tar.zst`;
  if (files.exists('/usr/bin/zypper')) return `sudo zypper install ./hostler-VERSION-1.${machine}.rpm`;
  return files.exists('/usr/bin/dnf') ? `sudo dnf install ./hostler-VERSION-1.${machine}.rpm` : null;
}
