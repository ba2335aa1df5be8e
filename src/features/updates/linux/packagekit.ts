import type { Bus, Signal } from '@hostler/dbus/dbus.ts';
import type { Files } from '../../../host/linux/files.ts';
import { messageOf } from '../../../lib/errors.ts';
import { canBeActivated, nameHasOwner } from './bus-names.ts';
import { foundUpdates, type ManagerState, type PackageUpdate, silentManager } from './manager-state.ts';

export const packageKitName = 'org.freedesktop.PackageKit';
export const packageKitPath = '/org/freedesktop/PackageKit';
const transaction = `${packageKitName}.Transaction`;

/** RPM systems, whose lists only their own libraries can read. */
const rpmDatabases = ['/usr/lib/sysimage/rpm', '/var/lib/rpm'];

const needsPackageKit = (files: Pick<Files, 'exists'>) =>
  rpmDatabases.some((place) => files.exists(place)) &&
  !['/var/lib/dpkg/status', '/var/lib/pacman/local'].some((place) => files.exists(place));

const replyTimeoutMs = 30_000;
/** More than a distribution has after years without updates. */
const mostPackages = 20_000;
/** https://www.freedesktop.org/software/PackageKit/gtk-doc/PackageKit-Enumerations.html */
const securityInfo = 8;
const blockedInfo = 9;
const success = 1;

/** Updates of PackageKit from its cached lists, whatever their age. null: not needed on this machine. */
export async function readPackageKit(
  system: Bus,
  files: Pick<Files, 'exists'>,
  after: (ms: number, callback: () => void) => () => void,
): Promise<ManagerState | null> {
  if (!needsPackageKit(files)) return null;
  if (!((await nameHasOwner(system, packageKitName)) || (await canBeActivated(system, packageKitName))))
    return silentManager('packagekit', 'Install PackageKit, which can read the package lists of this system');
  try {
    const updates = await askForUpdates(system, after);
    return foundUpdates('packagekit', updates, { reportsSecurity: true, checkedAtMs: null, problem: null });
  } catch (error) {
    return silentManager('packagekit', `PackageKit does not answer: ${messageOf(error)}`);
  }
}

async function askForUpdates(
  system: Bus,
  after: (ms: number, callback: () => void) => () => void,
): Promise<PackageUpdate[]> {
  const daemon = { destination: packageKitName, path: packageKitPath, interface: packageKitName };
  const [path] = await system.call({ ...daemon, member: 'CreateTransaction' });
  if (typeof path !== 'string') throw new Error('it created no transaction');
  const found: PackageUpdate[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // Prevents an unhandled rejection when an earlier call fails.
  promise.catch(() => {});
  const receive = ({ member, body }: Signal) => {
    if (member === 'Package') add(found, body);
    if (member === 'ErrorCode') reject(new Error(String(body[1]).slice(0, 300)));
    if (member === 'Finished') {
      if (body[0] === success) resolve();
      else reject(new Error('it could not list the updates'));
    }
  };
  const stop = await system.subscribe({ sender: packageKitName, path, interface: transaction }, receive);
  const cancel = after(replyTimeoutMs, () => reject(new Error(`it needs more than ${replyTimeoutMs / 1000} s`)));
  const call = { destination: packageKitName, path, interface: transaction };
  try {
    const hints = ['background=true', 'interactive=false', `cache-age=${0xffffffff}`];
    await system.call({ ...call, member: 'SetHints', signature: 'as', body: [hints] });
    await system.call({ ...call, member: 'GetUpdates', signature: 't', body: [0n] });
    await promise;
    return found;
  } finally {
    cancel();
    stop();
    if (found.length >= mostPackages) void system.call({ ...call, member: 'Cancel' }).catch(() => {});
  }
}

/** A kind of update, `name;version;architecture;source`, and a summary. */
function add(found: PackageUpdate[], [kind, id]: unknown[]): void {
  if (typeof id !== 'string' || kind === blockedInfo || found.length >= mostPackages) return;
  const [name = '', candidate = ''] = id.split(';');
  found.push({ name, current: '', candidate, security: kind === securityInfo });
}
