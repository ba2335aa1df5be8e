/** One line of /proc/PID/mountinfo; names are bytes as characters. https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html */
export interface Mount {
  id: number;
  parent: number;
  /** Numbers of the block device, `8:1`; those of file systems without one begin with `0:`. */
  device: string;
  /** What of the file system is seen: `/` is all of it. */
  root: string;
  /** Where it is seen. */
  point: string;
  /** Of this mount. */
  options: string;
  type: string;
  /** Device, server or whatever else it comes from. */
  source: string;
  /** Of the file system, wherever it is mounted. */
  superOptions: string;
}

export function parseMountinfo(text: string): Mount[] {
  const mounts: Mount[] = [];
  for (const line of text.split('\n')) {
    const fields = line.split(' ');
    // Between the options and the dash stand any number of optional fields.
    const dash = fields.indexOf('-', 6);
    if (dash === -1) continue;
    const [id = '', parent = '', device = '', root = '', point = '', options = ''] = fields;
    const [type = '', source = '', superOptions = ''] = fields.slice(dash + 1);
    mounts.push({
      id: Number(id),
      parent: Number(parent),
      device,
      root: unescaped(root),
      point: unescaped(point),
      options: unescaped(options),
      type: unescaped(type),
      source: unescaped(source),
      superOptions: unescaped(superOptions),
    });
  }
  return mounts;
}

/** The mounts one comes to by their place: nothing lies on top of them, nor on a directory above. */
export function reachableMounts(mounts: readonly Mount[]): Mount[] {
  const byId = new Map(mounts.map((mount) => [mount.id, mount]));
  // The root of all may be its own parent.
  const others = mounts.filter(({ id, parent }) => id !== parent);
  const taken = new Set(others.map(({ parent, point }) => `${parent} ${point}`));
  const known = new Map<number, boolean>();

  /** What is mounted later on a directory above has the same parent. */
  const isOpen = (mount: Mount): boolean => {
    const answer = known.get(mount.id);
    if (answer !== undefined) return answer;
    known.set(mount.id, true);
    const parent = byId.get(mount.parent);
    const open =
      !directoriesAbove(mount.point).some((directory) => taken.has(`${mount.parent} ${directory}`)) &&
      (parent === undefined || isOpen(parent));
    known.set(mount.id, open);
    return open;
  };

  return mounts.filter(
    (mount) => isOpen(mount) && !taken.has(`${mount.id} ${mount.point}`) && !mount.point.endsWith('//deleted'),
  );
}

/** `/a/b` is below `/a` and `/`. */
function directoriesAbove(point: string): string[] {
  const directories: string[] = [];
  for (let at = point.lastIndexOf('/'); at > 0; at = point.lastIndexOf('/', at - 1))
    directories.push(point.slice(0, at));
  return point === '/' ? directories : [...directories, '/'];
}

/** Names as text. */
export function toText(bytes: string): string {
  for (let at = 0; at < bytes.length; at++) {
    if (bytes.charCodeAt(at) > 0x7f) return Buffer.from(bytes, 'latin1').toString('utf8');
  }
  return bytes;
}

/** Blanks, tabs, newlines, backslashes and some more are written as `\040`. */
function unescaped(field: string): string {
  return field.includes('\\')
    ? field.replace(/\\([0-3][0-7]{2})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)))
    : field;
}
