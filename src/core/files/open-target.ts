import type { ContainedEntry } from '../../host/contained/contained.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { type BaseHost, basesOf, findInBases } from './bases.ts';
import { isShown, isSpecialDirectory, shownStartBytes } from './shown-types.ts';

/** Something that may be opened for a caller: a URL, or a path in a known base. */
export type OpenTarget = { kind: 'url'; url: string } | { kind: 'path'; path: string };

const schemes = ['http:', 'https:', 'mailto:'];

/** Only what shows something and starts nothing. Throws a ServiceError that says why not. */
export function addressToOpen(text: string): OpenTarget {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw refused('invalid', 'The address is not a URL; it begins with http://, https:// or mailto:');
  if (!schemes.includes(url.protocol)) {
    const scheme = JSON.stringify(url.protocol.slice(0, 40));
    throw refused(
      'forbidden',
      `Addresses with ${scheme} are not opened; only http, https and mailto are, and plain paths`,
    );
  }
  if (url.protocol === 'mailto:') refuseMail(url.href);
  return { kind: 'url', url: url.href };
}

/** Other fields of a mailto address have effects beside the text, such as attaching a file: mail programs have different names for it. */
const mailFields = ['to', 'cc', 'bcc', 'subject', 'body', 'in-reply-to'];

function refuseMail(address: string): void {
  if (attaches(address)) {
    throw refused(
      'forbidden',
      'A mailto address that attaches files or contains message=, or has a quote or & before its ?, is not opened; leave these out',
    );
  }
  const [, ...query] = address.split('?');
  for (const field of query.join('&').split(/[&;]/)) {
    const [name = '', value] = field.split('=');
    if (value === undefined || mailFields.includes(fullyDecoded(name).trim().toLowerCase())) continue;
    throw refused(
      'forbidden',
      `A mailto address with another field than ${mailFields.join(', ')} is not opened; leave it out`,
    );
  }
}

/** `attaches` refused what cannot be decoded. */
const fullyDecoded = (text: string) => decodeURIComponent(decodeURIComponent(decodeURIComponent(text)));

/** Mail programs differ in how often they decode, and in what separates the parts. */
function attaches(address: string): boolean {
  let text = address;
  for (let round = 0; round < 3; round += 1) {
    const [recipients = '', ...fields] = text.split('?');
    if (/["'&]|\battach\w*\s*=/i.test(recipients) || /\battach|\binsert\w*\s*=/i.test(fields.join('?'))) return true;
    // Wrappers join the parts for "thunderbird -compose", which separates them by commas: message= names a file with the text.
    if (/\bmessage\s*=/i.test(text)) return true;
    try {
      text = decodeURIComponent(text);
    } catch {
      // Other spellings are refused, so that no mail program has to guess.
      return true;
    }
  }
  return false;
}

export async function pathToOpen(
  host: BaseHost,
  settings: Pick<Settings, 'media' | 'files'>,
  file: string,
): Promise<OpenTarget> {
  const { entry } = await findInBases(host, settings.files, await basesOf(host, settings), file);
  try {
    const { realPath, kind } = entry;
    if (kind === 'other' || isSpecialDirectory(realPath))
      throw refused('forbidden', 'Pipes, sockets and devices are not opened; specify a file or a directory');
    if (kind === 'file' && ((entry.mode & anyoneExecutes) !== 0 || !isShown(realPath, await startOf(entry)))) {
      throw refused(
        'forbidden',
        'Only pictures, sound, video, PDF, text and office documents are opened, named as what they are: opening others could start a program; COMMAND_EXECUTE runs programs',
      );
    }
    return { kind: 'path', path: realPath };
  } finally {
    entry.close();
  }
}

/** Empty if this process may not read the file. */
async function startOf(entry: ContainedEntry): Promise<Uint8Array> {
  const opened = await entry.open();
  if (typeof opened === 'string') return new Uint8Array();
  try {
    const start = await opened.read(0, shownStartBytes);
    return typeof start === 'string' ? new Uint8Array() : start;
  } finally {
    opened.close();
  }
}

const anyoneExecutes = 0o111;

function refused(code: 'invalid' | 'forbidden', sentence: string): ServiceError {
  return new ServiceError(code, sentence, { subtype: 'BAD_PATH' });
}
