import path from 'node:path';
import type { ContainedFacts } from '../../host/contained/contained.ts';
import type { ContentTypeOf } from './content-types.ts';
import type { FileEntry, FileInfo } from './files.schema.ts';

export interface FileFacts extends Pick<ContainedFacts, 'size' | 'modifiedMs' | 'mode'> {
  kind: string;
}

export function toEntry(
  name: string,
  file: string,
  { kind, size, modifiedMs, mode }: FileFacts,
  contentTypeOf: ContentTypeOf,
): FileEntry {
  const entry: FileEntry = {
    name,
    path: file,
    size,
    isDirectory: kind === 'directory',
    modTime: toTime(modifiedMs),
    permissions: toPermissions(mode),
  };
  const extension = entry.isDirectory ? '' : path.extname(name);
  if (extension === '') return entry;
  // A pipe has none, and the target of a link that is not followed stays hidden.
  const contentType = kind !== 'file' ? null : contentTypeOf(extension.slice(1).toLowerCase());
  if (contentType !== null) entry.contentType = contentType;
  entry.extension = extension;
  return entry;
}

/** Older clients expect other field names. */
export function toFileInfo(file: string, facts: FileFacts, contentTypeOf: ContentTypeOf): FileInfo {
  const entry = toEntry(path.basename(file), file, facts, contentTypeOf);
  return { ...entry, modified: Math.trunc(facts.modifiedMs), mime_type: entry.contentType ?? null };
}

/** File systems accept times that RFC 3339 cannot express. */
const toTime = (ms: number): string => new Date(Math.min(Math.max(ms, firstMs), lastMs)).toISOString();
const firstMs = Date.parse('0001-01-01T00:00:00Z');
const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59);

/** As in `ls -l`. */
export function toPermissions(mode: number): string {
  const right = (bit: number, letter: string) => (mode & bit ? letter : '-');
  const last = (bit: number, special: number, letter: string) => {
    if (!(mode & special)) return right(bit, 'x');
    return mode & bit ? letter : letter.toUpperCase();
  };
  return [
    types.get(mode & 0o170000) ?? '-',
    right(0o400, 'r'),
    right(0o200, 'w'),
    last(0o100, 0o4000, 's'),
    right(0o040, 'r'),
    right(0o020, 'w'),
    last(0o010, 0o2000, 's'),
    right(0o004, 'r'),
    right(0o002, 'w'),
    last(0o001, 0o1000, 't'),
  ].join('');
}

const types = new Map([
  [0o040000, 'd'],
  [0o120000, 'l'],
  [0o010000, 'p'],
  [0o140000, 's'],
  [0o020000, 'c'],
  [0o060000, 'b'],
]);
