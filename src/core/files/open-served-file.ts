import path from 'node:path';
import type { ContainedEntry, ContainedFacts, OpenedFile } from '../../host/contained/contained.ts';
import { ServiceError } from '../../lib/errors.ts';
import { type Later, mapLater, orUndo } from '../../lib/later.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { baseCalled, baseRefusal, found } from './base-refusals.ts';
import { type BaseHost, basesOf } from './bases.ts';
import type { OpenServedFile, ServedFile } from './served-file.ts';
import { type BaseDirectory, findServed } from './served-paths.ts';

import { servedTypes } from './served-types.ts';

/** 100 MB, of the kind that has 1,048,576 bytes. */
const maxBytes = 104_857_600;

/** The checks stand in the order in which they answer. */
export function createOpenServedFile(host: BaseHost, settings: () => Settings): OpenServedFile {
  return (key, asked) => {
    const current = settings();
    return mapLater(basesOf(host, current), (bases) => {
      const base = baseCalled(key, bases);
      return mapLater(findServed(host.contained, current.files.hidden, base, asked), (outcome) =>
        openEntry(found(outcome, base, 'BAD_FILE'), path.basename(asked), base),
      );
    });
  };
}

/** Closes the entry in any case. */
function openEntry(entry: ContainedEntry, name: string, base: BaseDirectory): Later<ServedFile> {
  try {
    if (entry.kind !== 'file') throw baseRefusal('not_regular', base, 'BAD_FILE');
    // The real name as well: a link called .txt opens no other kind of file.
    for (const extension of [extensionOf(name), extensionOf(entry.realName)]) {
      if (!servedTypes.has(extension)) throw notServed(extension);
    }
    if (entry.size > maxBytes) throw tooLarge(entry.size);
    return mapLater(entry.open(), (outcome) => servedFile(name, entry, found(outcome, base, 'BAD_FILE'), base));
  } finally {
    entry.close();
  }
}

function servedFile(
  name: string,
  { realName, size, modifiedMs, version }: ContainedFacts,
  { path: descriptorPath, read: readOpened, close }: OpenedFile,
  base: BaseDirectory,
): Later<ServedFile> {
  const read: ServedFile['read'] = (start, end, patient) =>
    mapLater(readOpened(start, end, patient), (bytes) => found(bytes, base, 'BAD_FILE'));
  return orUndo(
    () =>
      mapLater(typeOf(extensionOf(realName), read), (contentType) => ({
        name,
        size,
        modifiedMs,
        etag: `"${version}"`,
        contentType,
        descriptorPath,
        read,
        close,
      })),
    close,
  );
}

function notServed(extension: string): ServiceError {
  const kind = extension === '' ? 'Files without an extension' : `Files of the type .${extension.slice(0, 20)}`;
  return new ServiceError(
    'forbidden',
    `${kind} are not served; only these types are: ${[...servedTypes.keys()].join(', ')}`,
  );
}

function tooLarge(size: number): ServiceError {
  return new ServiceError('too_large', `The file has ${size} bytes; at most ${maxBytes} are served`);
}

const extensionOf = (name: string) => path.extname(name).slice(1).toLowerCase();

function typeOf(extension: string, read: ServedFile['read']): Later<string> {
  const type = servedTypes.get(extension) ?? 'application/octet-stream';
  if (!type.startsWith('text/')) return type;
  return mapLater(read(0, 2), (bytes) => `${type}; charset=${saysUtf16(bytes) ? 'utf-16' : 'utf-8'}`);
}

/** By a byte order mark; anything else is taken for UTF-8. */
function saysUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}
