import fs from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../../lib/clock.ts';
import { type Mount, parseMountinfo } from './mountinfo.ts';

/** Mounts whose access may block for ever. None of them is accessed here. */
export type HangingMounts = ReturnType<typeof createHangingMounts>;

/** Cache time, ms: a file system that was mounted since then has just answered. */
const freshMs = 1000;
const mostWays = 200;

/**
 * By the table of mounts and by the links on the way, since any of them may lead into such a mount. Links are read only
 * if there is such a mount, step by step, and never inside of it. Paths are bytes as characters.
 */
export function createHangingMounts(clock: Clock, readTable: () => string = ownTable) {
  const known = { at: Number.NEGATIVE_INFINITY, table: '', points: new Set<string>() };
  const ways = new Map<string, Way>();

  const points = (): ReadonlySet<string> => {
    const now = clock.monotonic();
    if (now - known.at < freshMs) return known.points;
    known.at = now;
    ways.clear();
    const table = readTable();
    if (table !== known.table) known.points = hangingPoints(parseMountinfo(table));
    known.table = table;
    return known.points;
  };

  /** A player requests a file piece by piece: links on the way are cached like the table. */
  const wayTo = (from: string, relative: string, hanging: ReadonlySet<string>): Way => {
    const key = `${from}\0${relative}`;
    const seen = ways.get(key);
    if (seen !== undefined) return seen;
    if (ways.size === mostWays) ways.clear();
    const way = walk(from, toBytes(relative), hanging);
    ways.set(key, way);
    return way;
  };

  return {
    /** The first such mount on the way to a file; null: none. */
    onWay(directory: string, relative: string): string | null {
      const hanging = points();
      if (hanging.size === 0) return null;
      const base = wayTo('/', directory, hanging);
      if (base.mount !== null) return innermost(hanging, base.mount, `${base.place}/${toBytes(relative)}`);
      const way = wayTo(base.place, relative, hanging);
      return way.mount === null ? null : innermost(hanging, way.mount, way.place);
    },
    /** The names of such mounts in a directory, given by its real path, as bytes. */
    inside(place: string): ReadonlySet<string> {
      const start = place === '/' ? place : `${place}/`;
      const names = [...points()].filter((point) => point.startsWith(start)).map((point) => point.slice(start.length));
      return new Set(names.filter((name) => name !== '' && !name.includes('/')));
    },
  };
}

/** Where file systems are mounted whose answer depends on another machine, on a program, or on being mounted first. */
export function hangingPoints(mounts: readonly Mount[]): Set<string> {
  // The only automount below /proc is usually the kernel's own, which does not justify reading every link.
  return new Set(mounts.filter(mayHang).flatMap(({ point }) => (point.startsWith('/proc/') ? [] : [point])));
}

/** Every type that is not known to be local; on a block device also clustered and user-space file systems. */
function mayHang({ type, device }: Mount): boolean {
  if (device.startsWith('0:')) return !ofThisMachine.has(type);
  return type.startsWith('fuse') || type === 'gfs2' || type === 'ocfs2';
}

const ofThisMachine = new Set(
  [
    'bcachefs btrfs ecryptfs jffs2 overlay ramfs tmpfs ubifs zfs',
    'bdev binder binfmt_misc bpf cgroup cgroup2 configfs cpuset debugfs devpts devtmpfs efivarfs fusectl hugetlbfs mqueue nfsd nsfs',
    'proc pstore resctrl rootfs rpc_pipefs securityfs selinuxfs smackfs sysfs tracefs',
  ].flatMap((types) => types.split(' ')),
);

interface Way {
  /** The first mount on it that may hang; null: none. */
  mount: string | null;
  /** Without links; or, if there is such a mount, with the rest of the way as it is written. */
  place: string;
}

/** The links that the kernel follows at once, and names. What is longer is not resolved here: a loop in a deep directory takes long. */
const most = { links: 40, names: 2048 };

function walk(from: string, relative: string, hanging: ReadonlySet<string>): Way {
  if (hanging.has('/')) return { mount: '/', place: `${from}/${relative}` };
  const names = relative.split('/').reverse();
  let place = from;
  let [links, steps] = [0, 0];
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    if (name === '' || name === '.') continue;
    const next = name === '..' ? path.posix.dirname(place) : `${place === '/' ? '' : place}/${name}`;
    if (hanging.has(next)) return { mount: next, place: [next, ...names.reverse()].join('/') };
    steps += 1;
    if (steps > most.names) return { mount: '/', place: next };
    const target = linkTarget(next);
    if (target === null) return { mount: null, place: next };
    if (target === '') {
      place = next;
      continue;
    }
    links += 1;
    if (links > most.links) return { mount: '/', place: next };
    if (target.startsWith('/')) place = '/';
    names.push(...target.split('/').reverse());
  }
  return { mount: null, place };
}

/** Empty: not a link. null: missing or not accessible. */
function linkTarget(place: string): string | null {
  const bytes = isAscii(place) ? place : Buffer.from(place, 'latin1');
  try {
    const stat = fs.lstatSync(bytes, { throwIfNoEntry: false });
    if (stat === undefined) return null;
    return stat.isSymbolicLink() ? fs.readlinkSync(bytes, 'latin1') : '';
  } catch {
    return null;
  }
}

/** Each of several nested mounts has its own thread. */
function innermost(hanging: ReadonlySet<string>, mount: string, way: string): string {
  const place = path.posix.normalize(way);
  let found = mount;
  for (const point of hanging) {
    if (point.length > found.length && (place === point || place.startsWith(`${point}/`))) found = point;
  }
  return found;
}

/** Most names are, and need no other form. */
const isAscii = (text: string) => !/[^\0-\x7f]/.test(text);
const toBytes = (text: string) => (isAscii(text) ? text : Buffer.from(text).toString('latin1'));
const ownTable = () => fs.readFileSync('/proc/self/mountinfo', 'latin1');
