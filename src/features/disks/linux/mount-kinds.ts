import { createReachable, type Mount, mountsAStep } from '../../../host/linux/storage/mountinfo.ts';
import { atOnce } from '../../../lib/slices.ts';

/** What stores the files: a block device, several of them, another machine or program, memory, or other file systems. */
export type MountKind = 'block' | 'pool' | 'remote' | 'memory' | 'overlay';
type MountCategory = 'primary' | 'bind' | 'squashfs';

/** A mount with files of users and programs, not of the kernel. */
export interface FileMount extends Mount {
  kind: MountKind;
  category: MountCategory;
  /** Reading its usage may take long, or block. */
  slow: boolean;
}

/** The reachable mounts, in the order of the table. */
export function fileMounts(table: readonly Mount[]): FileMount[] {
  return atOnce(fileMountSteps(table));
}

/** The same in steps that can be interleaved with other work. */
export function* fileMountSteps(table: readonly Mount[]): Generator<void, FileMount[]> {
  const isReachable = yield* createReachable(table);
  const isSlow = createSlow(table);
  const found: FileMount[] = [];
  for (const [index, mount] of table.entries()) {
    if (index % mountsAStep === 0) yield;
    const kind = kindOf(mount);
    if (kind !== null && isReachable(mount)) found.push({ ...mount, kind, category: 'bind', slow: isSlow(mount) });
  }
  yield* categorize(found);
  return found;
}

/** null: a file system of the kernel, a program's virtual files, or an automount point. */
function kindOf({ type, source, device }: Mount): MountKind | null {
  if (pools.has(type)) return 'pool';
  if (type === 'tmpfs' || type === 'ramfs') return 'memory';
  if (overlays.has(type)) return 'overlay';
  if (type === 'fuse' || type.startsWith('fuse.')) return shownAsFiles.has(type) ? null : 'remote';
  if (!device.startsWith('0:')) return 'block';
  if (remotes.has(type) || /^\/\/|:\//.test(source)) return 'remote';
  return flash.has(type) ? 'block' : null;
}

/** These span several devices. */
const pools = new Set(['btrfs', 'zfs', 'bcachefs']);
const overlays = new Set(['overlay', 'overlayfs', 'aufs', 'fuse.fuse-overlayfs']);
/** On flash memory without a block device. */
const flash = new Set(['ubifs', 'jffs2', 'yaffs2']);
const remotes = new Set(
  '9p afs beegfs ceph cifs coda davfs glusterfs gpfs lustre ncpfs nfs nfs4 orangefs prl_fs smb3 smbfs vboxsf virtiofs vmhgfs'.split(
    ' ',
  ),
);
/** Documents handed to sandboxes, remote places of a desktop, numbers of a container, clipboards of virtual machines. */
const shownAsFiles = new Set(
  ['portal', 'gvfsd-fuse', 'kio-fuse', 'lxcfs', 'vmware-vmblock', 'rawBridge'].map((name) => `fuse.${name}`),
);

/** These answer from memory; others may query a server that hangs, or a program, or read a table from the disk. */
export const quickTypes = new Set(
  'ext2 ext3 ext4 xfs btrfs f2fs squashfs erofs iso9660 tmpfs ramfs overlay'.split(' '),
);

/** Also if its path leads through a slow mount or an automount point. */
function createSlow(table: readonly Mount[]): (mount: Mount) => boolean {
  const byId = new Map(table.map((mount) => [mount.id, mount]));
  const slowWays = new Map<number, boolean>();
  /** Whether the path to this mount is slow. */
  const isSlowWay = (mount: Mount | undefined): boolean => {
    if (mount === undefined) return false;
    const known = slowWays.get(mount.id);
    if (known !== undefined) return known;
    // The root mount may be its own parent.
    slowWays.set(mount.id, false);
    const slow = mount.type === 'autofs' || kindOf(mount) === 'remote' || isSlowWay(byId.get(mount.parent));
    slowWays.set(mount.id, slow);
    return slow;
  };
  return ({ type, parent }) => !quickTypes.has(type) || isSlowWay(byId.get(parent));
}

/** The first mount of a whole file system is primary, and the root always is. */
function* categorize(mounts: readonly FileMount[]): Generator<void, void> {
  const shown = new Set<string>();
  const isRoot = ({ point }: Mount) => point === '/';
  const ordered = [...mounts.filter(isRoot), ...mounts.filter((mount) => !isRoot(mount))];
  for (const [index, mount] of ordered.entries()) {
    if (index % mountsAStep === 0) yield;
    const whole = wholeOf(mount);
    const isPrimary = isRoot(mount) || (whole !== null && !shown.has(whole));
    if (isPrimary) shown.add(whole ?? fileSystemOf(mount));
    mount.category = isSquashfs(mount) && !isRoot(mount) ? 'squashfs' : isPrimary ? 'primary' : 'bind';
  }
}

/** The identity of the file system; null: a part of it, or a view of others. */
function wholeOf(mount: FileMount): string | null {
  const { kind, root, type } = mount;
  if (kind === 'overlay') return null;
  if (kind === 'remote') return fileSystemOf(mount);
  const whole = type === 'btrfs' ? (subvolumeOf(mount) ?? root) : '/';
  return root === whole ? fileSystemOf(mount) : null;
}

/** Subvolumes count as file systems; a server may have several with one device number, and programs several with one name. */
function fileSystemOf(mount: FileMount): string {
  if (mount.kind === 'remote') return `${mount.device} ${mount.source}`;
  return mount.type === 'btrfs' ? `${mount.device} ${subvolumeOf(mount) ?? mount.root}` : mount.device;
}

function subvolumeOf({ superOptions }: Mount): string | null {
  return /(?:^|,)subvol=([^,]*)/.exec(superOptions)?.[1] ?? null;
}

/** Package images: squashfs, or mounted by a program, as for an AppImage. */
function isSquashfs({ type, point }: Mount): boolean {
  return (
    /^(squashfs|fuse\.(snapfuse|squashfuse(_ll)?))$/.test(type) ||
    (type.startsWith('fuse.') && (type.endsWith('.AppImage') || point.startsWith('/tmp/.mount_')))
  );
}
