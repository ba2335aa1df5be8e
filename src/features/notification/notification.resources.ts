import path from 'node:path';
import type { Caller } from '../../core/caller.ts';
import { type BaseHost, lookInBases } from '../../core/files/bases.ts';
import { hasScope } from '../../core/require-scope.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { Settings } from '../../settings/settings.schema.ts';

/** A picture or a sound: its name in a theme, bytes in the request, or a file of the user. Nothing is ever fetched. */
export type Resource =
  | { kind: 'name'; name: string }
  | { kind: 'bytes'; bytes: Uint8Array; extension: string }
  /** Empty: it cannot be used, and the answer to this caller does not say so. */
  | { kind: 'file'; file: string }
  | Ignored;

/** URLs and names of other systems are left out, so that the text is shown without the picture. */
export interface Ignored {
  kind: 'ignored';
  problem: string;
}

interface Family {
  thing: string;
  /** By type of a data URL: the file extension, and the first bytes. */
  types: Record<string, [extension: string, begins: RegExp]>;
  /** Of files in known directories. */
  extensions: string[];
}

/** Enough for icons and short sounds, not for screenshots. */
const mostBytes = 512 * 1024;

export const pictures: Family = {
  thing: 'picture',
  types: {
    'image/png': ['.png', /^\x89PNG\r\n/],
    'image/jpeg': ['.jpg', /^\xff\xd8\xff/],
    'image/gif': ['.gif', /^GIF8[79]a/],
    'image/webp': ['.webp', /^RIFF.{4}WEBP/s],
    'image/bmp': ['.bmp', /^BM/],
  },
  extensions: ['.png', '.jpg', '.jpeg', '.gif', '.webp', '.bmp', '.svg', '.ico'],
};

export const sounds: Family = {
  thing: 'sound',
  types: {
    'audio/wav': ['.wav', /^RIFF.{4}WAVE/s],
    'audio/x-wav': ['.wav', /^RIFF.{4}WAVE/s],
    'audio/ogg': ['.oga', /^OggS/],
    'audio/flac': ['.flac', /^fLaC/],
  },
  extensions: ['.wav', '.oga', '.ogg', '.flac', '.opus'],
};

interface Parts {
  host: BaseHost;
  settings: Pick<Settings, 'media' | 'files'>;
  caller: Pick<Caller, 'scopes'>;
}

/** Whether an answer may reveal which files exist. Actions of these scopes reveal it as well; `notify` alone must not. */
export const mayLearnOfFiles = (caller: Pick<Caller, 'scopes'>): boolean => hasScope(caller, 'files', 'control');

export async function readResource(field: string, text: string, family: Family, parts: Parts): Promise<Resource> {
  if (text.startsWith('data:')) return fromDataUrl(field, text, family);
  if (/^(\/|~\/)/.test(text)) {
    const file = fromFile(field, text, family, parts);
    return await (mayLearnOfFiles(parts.caller) ? file : file.catch(() => ({ kind: 'file', file: '' })));
  }
  if (/^[\w.+-]{1,200}$/.test(text)) return { kind: 'name', name: text };
  if (/^[a-z][a-z\d+.-]*:/i.test(text))
    return { kind: 'ignored', problem: `${field} was left out: addresses are not fetched` };
  throw refused('invalid', `${field} must be a name in the theme, a data URL, or a path in a known directory`);
}

function fromDataUrl(field: string, text: string, { thing, types }: Family): Resource {
  const [, type = '', content = ''] = /^data:([\w/+.-]+)(?:;[\w=.-]+)*?;base64,([A-Za-z0-9+/_=%-]*)$/.exec(text) ?? [];
  const known = Object.hasOwn(types, type.toLowerCase()) ? types[type.toLowerCase()] : undefined;
  if (known === undefined) {
    throw refused('invalid', `${field} must be a data URL with base64 of one of ${Object.keys(types).join(', ')}`);
  }
  // Of the base64 characters, only these need escaping in a URL.
  const plain = content.replaceAll(/%2b/gi, '+').replaceAll(/%2f/gi, '/').replaceAll(/%3d/gi, '=');
  if (plain.includes('%')) throw refused('invalid', `${field} is not valid base64`);
  const bytes = Buffer.from(plain, 'base64');
  if (bytes.length > mostBytes) throw refused('too_large', `${field} is larger than 512 KiB; send a smaller ${thing}`);
  const [extension, begins] = known;
  if (!begins.test(bytes.toString('latin1', 0, 16))) {
    throw refused('invalid', `${field} does not contain the ${thing} it claims to`);
  }
  return { kind: 'bytes', bytes, extension };
}

async function fromFile(
  field: string,
  file: string,
  { thing, extensions }: Family,
  { host, settings }: Parts,
): Promise<Resource> {
  const { kind, realPath } = await lookInBases(host, settings, file);
  const extension = path.extname(realPath).toLowerCase();
  if (kind === 'file' && extensions.includes(extension)) return { kind: 'file', file: realPath };
  throw refused('invalid', `${field} must be a ${thing}; its name ends in one of ${extensions.join(', ')}`, 'BAD_FILE');
}

function refused(code: 'invalid' | 'too_large', sentence: string, subtype: string | null = null): ServiceError {
  return new ServiceError(code, `notification.send: ${sentence}`, { subtype });
}
