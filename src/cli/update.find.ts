import path from 'node:path';
import type { Host } from '../host/host.ts';
import { messageOf } from '../lib/errors.ts';
import { createLog } from '../lib/log.ts';
import { ownCommand } from '../lib/own-command.ts';
import { isSignedList, type ListedRelease, newerRelease, openReleaseList, refuseStale } from '../lib/release-list.ts';
import { isObject } from '../lib/values.ts';
import { openSettings } from '../settings/settings.ts';
import { UsageError } from './exit.ts';

const limits = { timeoutMs: 15_000, maxBytes: 256 * 1024 };

/** Where releases are announced. Throws when nobody has said. */
export async function releasesAddress(host: Host, given: string | undefined): Promise<string> {
  const log = createLog((line) => process.stderr.write(line), 'ERROR');
  const address =
    given ||
    host.environment.variable('SERVICE_RELEASES_URL') ||
    (await openSettings(host, log)).current().releases.url;
  if (address === '')
    throw new UsageError(
      `No release list is set. Name its address with --from, or set it for good with "${ownCommand('settings set releases.url https://…/releases.json')}"`,
    );
  const url = URL.parse(address);
  if (url === null || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))))
    throw new UsageError('The address of the release list must begin with https://');
  return address;
}

/** Nobody listens in between. */
const isLoopback = (name: string) => /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(name);

/** The release to update to, from a list that is signed and of the present; null: the installed one is the latest. */
export async function findUpdate(
  { download, storage, paths, clock }: Pick<Host, 'download' | 'storage' | 'paths' | 'clock'>,
  address: string,
  { key, installed }: { key: string; installed: string },
): Promise<ListedRelease | null> {
  const file = path.join(paths.state, 'releases-seen.json');
  try {
    const document: unknown = JSON.parse(await download(address, limits));
    if (!isObject(document) || !isSignedList(document)) throw new Error('it is not a signed release list');
    const list = await openReleaseList(document, key);
    refuseStale(list, clock.now(), seenAt(storage.read(file)));
    storage.prepareDirectory(paths.state);
    storage.write(file, `${JSON.stringify({ issued: list.issued })}\n`);
    return newerRelease(list, installed);
  } catch (cause) {
    throw new Error(
      `The release list at ${address.replace(/[?#].*$/, '')} cannot be used: ${messageOf(cause)}. Nothing was changed`,
      { cause },
    );
  }
}

/** When the newest list was made that this user has seen; null: none was. */
function seenAt(text: string | null): number | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    return isObject(value) && typeof value.issued === 'number' ? value.issued : null;
  } catch {
    return null;
  }
}
