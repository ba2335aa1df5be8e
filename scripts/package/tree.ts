/** One entry of a package: a file with its bytes, or a directory. Paths have no leading slash. */
export interface PackedEntry {
  path: string;
  mode: number;
  /** null: a directory. */
  data: Uint8Array | null;
}

export const text = (content: string) => new TextEncoder().encode(content);

export function file(path: string, data: Uint8Array | string, mode = 0o644): PackedEntry {
  return { path, mode, data: typeof data === 'string' ? text(data) : data };
}

/** Sorted, each directory before its contents: the archive does not depend on the order of creation. */
export function withDirectories(entries: readonly PackedEntry[]): PackedEntry[] {
  const all = new Map(entries.map((entry) => [entry.path, entry]));
  for (const { path } of entries) {
    const parts = path.split('/');
    for (let count = 1; count < parts.length; count += 1) {
      const above = parts.slice(0, count).join('/');
      if (!all.has(above)) all.set(above, { path: above, mode: 0o755, data: null });
    }
  }
  return [...all.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}

export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Zero padding up to the next multiple. */
export const padding = (length: number, multiple: number) =>
  new Uint8Array((multiple - (length % multiple)) % multiple);
