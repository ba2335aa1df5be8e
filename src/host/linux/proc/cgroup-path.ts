/** The unit and container of a process, from its control group. */
export interface CgroupPlace {
  /** Unit of the system's service manager, as `ps -o unit` has it. */
  unit: string | null;
  /** Unit of the service manager of a user, as `ps -o uunit` has it. */
  userUnit: string | null;
  container: { engine: string; id: string } | null;
}

/** Longest path that is taken from a process; the kernel allows 4096. */
const longest = 4096;

/** The group in the hierarchy of the service manager, from /proc/PID/cgroup. https://man7.org/linux/man-pages/man7/cgroups.7.html */
export function parseCgroup(text: string): string | null {
  const groups = text.split('\n').flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    return path === undefined ? [] : [{ controllers, path: path.slice(0, longest) }];
  });
  const known = [
    groups.find(({ controllers }) => controllers === ''),
    groups.find(({ controllers }) => controllers === 'name=systemd'),
    ...groups,
  ].flatMap((group) => group?.path ?? []);
  // With two hierarchies, the unified one may be unused: then all processes are at its root.
  return known.find((path) => path !== '/') ?? known[0] ?? null;
}

export function parseCgroupPlace(path: string): CgroupPlace {
  const parts = path.split('/').filter((part) => part !== '');
  const manager = parts.findIndex((part) => /^user@\d+\.service$/.test(part));
  return {
    unit: firstUnit(parts),
    userUnit: manager === -1 ? null : firstUnit(parts.slice(manager + 1)),
    container: containerIn(parts),
  };
}

/** The first one below the slices. */
function firstUnit(parts: readonly string[]): string | null {
  const first = parts.find((part) => !part.endsWith('.slice')) ?? '';
  // Names that collide with the kernel's, such as cgroup.x.service, are escaped by an underscore.
  const name = first.replace(/^_/, '');
  return /^[^/]{1,255}\.(?:service|scope|socket|mount|swap)$/.test(name) ? name : null;
}

const hash = '([0-9a-f]{64})';
/** Of one part of the path, the engine and the id of its container. */
const kinds: readonly [RegExp, string][] = [
  [new RegExp(`^docker-${hash}\\.scope$`), 'docker'],
  [new RegExp(`^libpod-${hash}(?:\\.scope)?$`), 'podman'],
  [new RegExp(`^cri-containerd-${hash}\\.scope$`), 'containerd'],
  [new RegExp(`^nerdctl-${hash}\\.scope$`), 'containerd'],
  [new RegExp(`^crio-${hash}(?:\\.scope)?$`), 'cri-o'],
  [/^lxc\.payload\.(.{1,255})$/, 'lxc'],
  [/^systemd-nspawn@(.{1,255})\.service$/, 'systemd-nspawn'],
  [/^machine-(.{1,255})\.scope$/, 'machine'],
];
/** Engines without systemd have their own group, with the container below it. */
const parents: readonly [RegExp, RegExp, string][] = [
  [/^docker$/, new RegExp(`^${hash}$`), 'docker'],
  [/^libpod_parent$/, new RegExp(`^(?:libpod-)?${hash}$`), 'podman'],
  [/^pod[0-9a-f_-]+$/, new RegExp(`^${hash}$`), 'kubernetes'],
  [/^lxc$/, /^(.{1,255})$/, 'lxc'],
];

/** The innermost one. */
function containerIn(parts: readonly string[]): CgroupPlace['container'] {
  for (const [at, part] of [...parts.entries()].reverse()) {
    for (const [pattern, engine] of kinds) {
      const id = pattern.exec(part)?.[1];
      if (id !== undefined) return { engine, id };
    }
    for (const [parent, pattern, engine] of parents) {
      const id = pattern.exec(part)?.[1];
      if (id !== undefined && parent.test(parts[at - 1] ?? '')) return { engine, id };
    }
  }
  return null;
}
