import path from 'node:path';
import type { ContainedEntry } from '../../host/contained/contained.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { baseCalled, baseRefusal, found } from './base-refusals.ts';
import { type BaseHost, basesOf } from './bases.ts';
import type { OpenServedFile, ServedFile } from './served-file.ts';
import { type BaseDirectory, findServed } from './served-paths.ts';
import { servedTypes } from './served-types.ts';

const maxBytes = 100 * 1024 * 1024;

/** The checks are in the order of their precedence. */
export function createOpenServedFile(host: BaseHost, settings: () => Settings): OpenServedFile {
  return async (key, asked) => {
    const current = settings();
    const base = baseCalled(key, await basesOf(host, current));
    const entry = found(await findServed(host.contained, current.files.hidden, base, asked), base, 'BAD_FILE');
    try {
      return await openEntry(entry, path.basename(asked), base);
    } finally {
      entry.close();
    }
  };
}

async function openEntry(entry: ContainedEntry, name: string, base: BaseDirectory): Promise<ServedFile> {
  if (entry.kind !== 'file') throw baseRefusal('not_regular', base, 'BAD_FILE');
  // Also the real name: a link called .txt opens no other type of file.
  for (const extension of [extensionOf(name), extensionOf(entry.realName)]) {
    if (!servedTypes.has(extension)) throw notServed(extension);
  }
  if (entry.size > maxBytes) throw tooLarge(entry.size);
  const { realName, size, modifiedMs, version } = entry;
  const opened = found(await entry.open(), base, 'BAD_FILE');
  const { path: descriptorPath, close } = opened;
  const read: ServedFile['read'] = async (start, end, patient) =>
    found(await opened.read(start, end, patient), base, 'BAD_FILE');
  try {
    const contentType = await typeOf(extensionOf(realName), read);
    return { name, size, modifiedMs, etag: `"${version}"`, contentType, descriptorPath, read, close };
  } catch (error) {
    close();
    throw error;
  }
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

async function typeOf(extension: string, read: ServedFile['read']): Promise<string> {
  const type = servedTypes.get(extension) ?? 'application/octet-stream';
  if (!type.startsWith('text/')) return type;
  return `${type}; charset=${saysUtf16(await read(0, 2)) ? 'utf-16' : 'utf-8'}`;
}

/** By a byte order mark; anything else counts as UTF-8. */
function saysUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}
