import path from 'node:path';
import { readSecret, sealed } from '../../access/secrets.ts';
import type { Host } from '../../host/host.ts';
import { isObject } from '../../lib/values.ts';

type Parts = Pick<Host, 'storage' | 'sealing' | 'paths'>;

export const targetsFile = ({ paths }: Pick<Host, 'paths'>) => path.join(paths.state, 'alert-targets');

/** The URLs of the targets by their ids. Throws when the file cannot be read. */
export async function readTargetUrls(host: Parts): Promise<Map<string, string>> {
  const value = parsed((await readSecret(host, targetsFile(host))) ?? '{}', targetsFile(host));
  return new Map(
    Object.entries(isObject(value) ? value : {}).filter(
      (pair): pair is [string, string] => typeof pair[1] === 'string',
    ),
  );
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's sentence contains a part of the text.
    throw new Error(`${file} is damaged; remove it and add the targets again`);
  }
}

/** Sets the URL of a target, or removes it; URLs of targets that no longer exist go with it. */
export async function writeTargetUrl(
  host: Parts,
  id: string,
  url: string | null,
  known: readonly string[],
): Promise<void> {
  const kept = [...(await readTargetUrls(host))].filter(([other]) => other !== id && known.includes(other));
  const urls = Object.fromEntries(url === null ? kept : [...kept, [id, url]]);
  host.storage.prepareDirectory(host.paths.state);
  if (Object.keys(urls).length === 0) host.storage.remove(targetsFile(host));
  else host.storage.write(targetsFile(host), await sealed(host, `${JSON.stringify(urls)}\n`));
}
