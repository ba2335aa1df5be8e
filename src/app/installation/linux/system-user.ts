import fs from 'node:fs';
import path from 'node:path';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { systemUser, systemUserLine } from './unit.ts';

const ofAccounts = (root: string) => path.join(root, 'etc/passwd');
const ofOurs = (root: string) => path.join(root, 'etc/sysusers.d/hostler.conf');

/** null: no such account. */
const homeOf = (root: string) =>
  fs
    .readFileSync(ofAccounts(root), 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`${systemUser.name}:`))
    ?.split(':')[5] ?? null;

/** The account of the service of the machine, unless the package created it. */
export async function makeSystemUser(
  { launch, run }: Pick<LinuxHost, 'launch' | 'run'>,
  root: string,
): Promise<string[]> {
  const home = homeOf(root);
  if (home === systemUser.home) return [];
  if (home !== null)
    throw new Error(
      `The account ${systemUser.name} is not that of the service: its home directory is ${home}, not ${systemUser.home}`,
    );
  const program = launch.find('systemd-sysusers', ['/bin', '/usr/bin']);
  if (program === null)
    throw new Error(
      `systemd-sysusers, which creates the account ${systemUser.name}, is not installed. Create the account yourself, with the home directory ${systemUser.home}`,
    );
  fs.mkdirSync(path.dirname(ofOurs(root)), { recursive: true });
  fs.writeFileSync(ofOurs(root), systemUserLine);
  const { exitCode, stderr } = await run(program, [ofOurs(root)]);
  if (exitCode !== 0) throw new Error(`The account ${systemUser.name} cannot be created: ${stderr.trim()}`);
  return [`The account ${systemUser.name} was created; its home directory is ${systemUser.home}`];
}

/** Only if this program created it: the account of the package is removed with the package. */
export async function removeSystemUser(
  { launch, run }: Pick<LinuxHost, 'launch' | 'run'>,
  root: string,
): Promise<string[]> {
  if (!fs.existsSync(ofOurs(root))) return [];
  fs.rmSync(ofOurs(root));
  const program = launch.find('userdel', ['/usr/sbin', '/sbin']);
  if (program === null || homeOf(root) !== systemUser.home) return [];
  const { exitCode, stderr } = await run(program, [systemUser.name]);
  return [
    exitCode === 0
      ? `The account ${systemUser.name} was removed`
      : `The account ${systemUser.name} stays: ${stderr.trim()}`,
  ];
}
