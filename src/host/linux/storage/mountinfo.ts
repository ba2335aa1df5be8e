import { atOnce } from '../../../lib/slices.ts';

/** One line of /proc/PID/mountinfo; names are bytes as characters. https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html */
export interface Mount {
  id: number;
  parent: number;
  /** Numbers of the block device, `8:1`; those of file systems without one begin with `0:`. */
  device: string;
  /** The mounted part of the file system: `/` is all of it. */
  root: string;
  point: string;
  options: string;
  type: string;
  /** Device, server or other source. */
  source: string;
  /** Options of the file system. */
  superOptions: string;
}

export const parseMountinfo = (text: string): Mount[] => atOnce(mountSteps(text));

/** Machines with many containers have thousands of mounts: other work can run after this many. */
export const mountsAStep = 128;

/** The same in steps. Only the needed fields are extracted. */
export function* mountSteps(text: string): Generator<void, Mount[]> {
  const mounts: Mount[] = [];
  let at = 0;
  while (at < text.length) {
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline;
    // Blanks in names are escaped, so this occurs only after the optional fields.
    const dash = text.indexOf(' - ', at);
    if (dash !== -1 && dash < end) {
      const field = fieldsFrom(text, at, end);
      const behind = fieldsFrom(text, dash + 3, end);
      mounts.push({
        id: Number(field()),
        parent: Number(field()),
        device: field(),
        root: field(),
        point: field(),
        options: field(),
        type: behind(),
        source: behind(),
        superOptions: behind(),
      });
    }
    at = end + 1;
    if (mounts.length % mountsAStep === 0) yield;
  }
  return mounts;
}

function fieldsFrom(text: string, begin: number, end: number): () => string {
  let at = begin;
  return () => {
    const blank = text.indexOf(' ', at);
    const to = blank === -1 || blank > end ? end : blank;
    const field = text.slice(at, to);
    at = to + 1;
    return field.includes('\\') ? unescaped(field) : field;
  };
}

/** Blanks, tabs, newlines, backslashes and some more are written as `\040`. */
function unescaped(field: string): string {
  return field.replace(/\\([0-3][0-7]{2})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)));
}

/** Whether a mount is reachable by its mount point: no mount covers it or a parent directory. */
export function* createReachable(mounts: readonly Mount[]): Generator<void, (mount: Mount) => boolean> {
  const byId = new Map<number, Mount>();
  const onParents = new Map<number, Map<string, boolean>>();
  for (const [index, mount] of mounts.entries()) {
    if (index % mountsAStep === 0) yield;
    const { id, parent, point } = mount;
    byId.set(id, mount);
    // The root of all may be its own parent.
    if (id === parent) continue;
    const places = onParents.get(parent) ?? new Map<string, boolean>();
    onParents.set(parent, places.set(point, true));
  }
  const open = new Map<number, boolean>();

  /** Whether something is mounted on a directory, or above it. Results are cached among the places. */
  const isCovered = (places: Map<string, boolean>, directory: string): boolean => {
    const known = places.get(directory);
    if (known !== undefined) return known;
    const covered = directory !== '/' && isCovered(places, above(directory));
    places.set(directory, covered);
    return covered;
  };

  /** A later mount on a parent directory has the same parent mount. */
  const isOpen = (mount: Mount): boolean => {
    const known = open.get(mount.id);
    if (known !== undefined) return known;
    open.set(mount.id, true);
    const places = onParents.get(mount.parent);
    const parent = byId.get(mount.parent);
    const free =
      (places === undefined || mount.point === '/' || !isCovered(places, above(mount.point))) &&
      (parent === undefined || isOpen(parent));
    open.set(mount.id, free);
    return free;
  };

  return (mount) =>
    isOpen(mount) && onParents.get(mount.id)?.get(mount.point) !== true && !mount.point.endsWith('//deleted');
}

/** `/a` of `/a/b`. */
function above(place: string): string {
  const slash = place.lastIndexOf('/');
  return slash <= 0 ? '/' : place.slice(0, slash);
}

export function textOfBytes(bytes: string): string {
  for (let at = 0; at < bytes.length; at++) {
    if (bytes.charCodeAt(at) > 0x7f) return Buffer.from(bytes, 'latin1').toString('utf8');
  }
  return bytes;
}
