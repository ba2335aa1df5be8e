import fs from 'node:fs';
import path from 'node:path';
import { listDirectory, listDirectoryAtOnce } from '../../contained/contained.listing.ts';
import {
  closeOnce,
  containedProblemOf,
  identitiesOf,
  kindOf,
  openedFile,
  versionOf,
} from '../../contained/contained.opened.ts';
import type { ContainedProblem, LocalEntry, Outcome, UntouchedIn } from '../../contained/contained.ts';

const { O_DIRECTORY, O_NOCTTY, O_NONBLOCK, O_RDONLY } = fs.constants;
/** O_PATH: opening has no side effects on pipes and devices. The runtime has no constant for it. https://man7.org/linux/man-pages/man2/open.2.html */
const O_PATH = 0o10000000;

/**
 * Names are resolved once. Everything else uses the descriptor: status, real path and content.
 * Paths are handled byte by byte (as Latin-1), since names need not be valid UTF-8.
 */
export function findByDescriptor(base: string, relative: string, untouchedIn = nothing): Outcome<LocalEntry> {
  const root = openPath(toBytes(base), O_DIRECTORY);
  if (typeof root === 'string') return root;
  try {
    const realBase = realPath(root);
    const wanted = toBytes(relative);
    const found = openPath(`${link(root)}/${wanted}`);
    if (typeof found === 'string') return judge(root, realBase, wanted, found);
    let isUsed = false;
    try {
      const entry = entryOf(found, realBase, untouchedIn);
      isUsed = typeof entry !== 'string';
      return entry;
    } finally {
      if (!isUsed) fs.closeSync(found);
    }
  } finally {
    fs.closeSync(root);
  }
}

const nothing: UntouchedIn = () => new Set();

/** Takes ownership of the descriptor only if it is inside. */
function entryOf(descriptor: number, realBase: string, untouchedIn: UntouchedIn): Outcome<LocalEntry> {
  const real = realPath(descriptor);
  const stat = fs.fstatSync(descriptor, { bigint: true });
  if (wasRemoved(real, stat)) return 'missing';
  if (!isInside(realBase, real)) return 'escapes';
  const kind = kindOf(stat);
  const directory = { path: link(descriptor), encoding: 'latin1' } as const;
  return {
    realName: toText(path.posix.basename(real)),
    realPath: toText(real),
    realInside: toText(real.slice(realBase.length).replace(/^\//, '')),
    kind,
    size: Number(stat.size),
    modifiedMs: Number(stat.mtimeMs),
    mode: Number(stat.mode),
    user: Number(stat.uid),
    group: Number(stat.gid),
    identities: identitiesOf(real, fromBytes),
    version: versionOf(stat),
    open() {
      if (kind !== 'file') return 'not_regular';
      try {
        const readable = fs.openSync(link(descriptor), O_RDONLY | O_NONBLOCK | O_NOCTTY);
        return openedFile(readable, link(readable));
      } catch (error) {
        return containedProblemOf(error);
      }
    },
    list: () => listDirectory({ ...directory, untouched: () => untouchedIn(real) }),
    listAtOnce: (untouched) => listDirectoryAtOnce({ ...directory, untouched: () => untouched }),
    close: closeOnce(descriptor),
  };
}

/** The links that the kernel follows, and names: those of a loop in a deep directory would take seconds. */
const most = { links: 40, names: 512 };

/** Why a path could not be opened. A link that leads out is an escape, whether or not its target exists; so is a way that is too long to be checked. */
function judge(root: number, realBase: string, wanted: string, problem: ContainedProblem): ContainedProblem {
  const left = { ...most };
  const judgeFrom = (names: string[]): ContainedProblem => {
    let at = root;
    try {
      for (const [depth, name] of names.entries()) {
        left.names -= 1;
        if (left.names < 0) return 'escapes';
        const next = openPath(`${link(at)}/${name}`);
        if (typeof next === 'string') {
          const target = linkTarget(at, name);
          if (target === null || left.links === 0) return problem;
          if (!isInside(realBase, target)) return 'escapes';
          left.links -= 1;
          return judgeFrom([path.posix.relative(realBase, target), ...names.slice(depth + 1)].join('/').split('/'));
        }
        if (at !== root) fs.closeSync(at);
        at = next;
        if (!isInside(realBase, realPath(at))) return 'escapes';
      }
      return problem;
    } finally {
      if (at !== root) fs.closeSync(at);
    }
  };
  return judgeFrom(wanted.split('/'));
}

/** Where a link leads that cannot be followed; null: not a link. */
function linkTarget(directory: number, name: string): string | null {
  try {
    return path.posix.resolve(realPath(directory), fs.readlinkSync(fromBytes(`${link(directory)}/${name}`), 'latin1'));
  } catch {
    return null;
  }
}

function openPath(file: string, flags = 0): Outcome<number> {
  try {
    return fs.openSync(fromBytes(file), O_PATH | flags);
  } catch (error) {
    return containedProblemOf(error);
  }
}

const link = (descriptor: number) => `/proc/self/fd/${descriptor}`;
const realPath = (descriptor: number) => fs.readlinkSync(link(descriptor), 'latin1');
const toBytes = (text: string) => Buffer.from(text).toString('latin1');
const toText = (bytes: string) => fromBytes(bytes).toString();
const fromBytes = (text: string) => Buffer.from(text, 'latin1');

/** The kernel appends a mark to a removed name; a real name may end the same way. */
function wasRemoved(real: string, { dev, ino }: fs.BigIntStats): boolean {
  if (!real.endsWith(' (deleted)')) return false;
  const named = fs.lstatSync(fromBytes(real), { bigint: true, throwIfNoEntry: false });
  return named === undefined || named.ino !== ino || named.dev !== dev;
}

function isInside(realBase: string, real: string): boolean {
  return real === realBase || real.startsWith(realBase.endsWith('/') ? realBase : `${realBase}/`);
}
