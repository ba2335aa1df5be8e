/** `devices.partitions.usage` as a tree of its names. A name applies to each entry of a list; a number selects one entry; `[]` may be written. */
export type FieldTree = Map<string, FieldTree>;

/** A path includes everything below it, whatever longer paths say. */
export function toFieldTree(paths: Iterable<string>): FieldTree {
  const tree: FieldTree = new Map();
  for (const path of paths) addPath(tree, fieldNamesIn(path));
  return tree;
}

function addPath(tree: FieldTree, names: readonly string[]): void {
  let branch = tree;
  for (const [index, name] of names.entries()) {
    const known = branch.get(name);
    // A shorter path selects the whole branch.
    if (known?.size === 0) return;
    const next: FieldTree = index === names.length - 1 ? new Map() : (known ?? new Map());
    branch.set(name, next);
    branch = next;
  }
}

/** `usage,devices.name` → two paths, each once. Paths without a name are left out. */
export function pathsIn(text: string): Set<string> {
  return new Set(
    text
      .split(',')
      .map((path) => path.trim())
      .filter((path) => fieldNamesIn(path).length > 0),
  );
}

export function pickFields(value: unknown, tree: FieldTree): unknown {
  if (tree.size === 0) return value;
  if (Array.isArray(value)) {
    const indices = [...tree.keys()].filter(isIndex);
    if (indices.length === 0) return value.map((entry) => pickFields(entry, tree));
    return indices
      .filter((index) => Number(index) < value.length)
      .map((index) => pickFields(value[Number(index)], tree.get(index) ?? new Map()));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      const branch = tree.get(key);
      return branch === undefined ? [] : [[key, pickFields(inner, branch)]];
    }),
  );
}

/** Every value a path leads to. */
export function valuesAt(value: unknown, path: string): unknown[] {
  return fieldNamesIn(path).reduce<unknown[]>((found, name) => found.flatMap((inner) => step(inner, name)), [value]);
}

/** The names that can follow where a path breaks off; null: it leads somewhere, or ends in something unknown, such as an empty list. */
export function whereItBreaks(value: unknown, path: string): { name: string; known: string[] } | null {
  let found: unknown[] = [value];
  for (const name of fieldNamesIn(path)) {
    const next = found.flatMap((inner) => step(inner, name));
    if (next.length === 0 && found.length > 0) {
      const known = new Set(found.flatMap(keysOf));
      return known.size === 0 && found.every(isUnknown) ? null : { name, known: [...known] };
    }
    found = next;
  }
  return null;
}

function step(value: unknown, name: string): unknown[] {
  if (Array.isArray(value)) {
    if (isIndex(name)) return Number(name) < value.length ? [value[Number(name)]] : [];
    return value.flatMap((entry) => step(entry, name));
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return [];
  return [Reflect.get(value, name)];
}

const isUnknown = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);

function keysOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.slice(0, 1).flatMap(keysOf);
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}

export function fieldNamesIn(path: string): string[] {
  return path
    .replaceAll('[]', '')
    .split('.')
    .filter((name) => name !== '');
}

const isIndex = (name: string) => /^\d{1,9}$/.test(name);
