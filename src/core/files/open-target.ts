import path from 'node:path';
import type { ContainedEntry } from '../../host/contained/contained.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { type BaseHost, basesOf, findInBases } from './bases.ts';

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
      'A mailto address that attaches files, or has a quote or & before its ?, is not opened; leave these out',
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
    if (kind === 'other')
      throw refused('forbidden', 'Pipes, sockets and devices are not opened; specify a file or a directory');
    const isNamedSo = [file, realPath].some((name) => isStarted(name) || host.contained.startsWhenOpened?.(name));
    if (kind === 'file' && ((entry.mode & anyoneExecutes) !== 0 || isNamedSo || (await isProgram(entry)))) {
      throw refused(
        'forbidden',
        'Programs, scripts and .desktop files are not opened, since that starts them; COMMAND_EXECUTE runs programs',
      );
    }
    return { kind: 'path', path: realPath };
  } finally {
    entry.close();
  }
}

/** Desktops judge a file without a known extension by its first bytes. What this process may not read, the desktop of its user cannot open either. */
async function isProgram(entry: ContainedEntry): Promise<boolean> {
  const opened = await entry.open();
  if (typeof opened === 'string') return false;
  try {
    const start = await opened.read(0, 16);
    return (
      typeof start !== 'string' && /^(?:MZ|\x7fELF|#!|\[Desktop Entry)/.test(Buffer.from(start).toString('latin1'))
    );
  } finally {
    opened.close();
  }
}

const anyoneExecutes = 0o111;

/** What desktops start rather than show, whatever its permissions. */
const isStarted = (file: string) => started.has(path.extname(file).toLowerCase());
const started = new Set([
  ...'.desktop .kdelnk .deb .rpm .flatpakref .flatpakrepo .snap .run .appimage .jar .jnlp .exe .msi'.split(' '),
  ...'.bat .cmd .com .scr .pif .lnk .command .app'.split(' '),
  // With Wine.
  ...'.vbs .vbe .jse .wsf .hta .reg .msp .cpl'.split(' '),
]);

function refused(code: 'invalid' | 'forbidden', sentence: string): ServiceError {
  return new ServiceError(code, sentence, { subtype: 'BAD_PATH' });
}
