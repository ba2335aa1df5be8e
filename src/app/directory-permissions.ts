import path from 'node:path';
import type { Host } from '../host/host.ts';
import type { Exposure } from '../host/storage.ts';

type Places = Pick<Host, 'storage' | 'paths'>;

/** Files that decide who may do what. A user who can change one of them has all rights of this service. */
const decisive = ({ paths: { config, state } }: Places): [what: string, place: string, variable: string][] => [
  ['state directory', state, 'SERVICE_STATE_DIR'],
  ['config directory', config, 'SERVICE_CONFIG_DIR'],
  ...['token', 'tokens.json', 'browsers.json', 'mcp-token', 'service.json', 'known-machines.json'].map(
    (name): [string, string, string] => ['file', path.join(state, name), 'SERVICE_STATE_DIR'],
  ),
  ['settings file', path.join(config, 'settings.json'), 'SERVICE_CONFIG_DIR'],
];

/** The first of our paths that other users could change, as a sentence with the command that fixes it; null: none. */
export function exposedPlace(places: Places): string | null {
  for (const [what, place, variable] of decisive(places)) {
    const exposure = places.storage.exposure(place);
    if (exposure !== null) return sentence(what, place, variable, exposure);
  }
  return null;
}

const sentence = (what: string, place: string, variable: string, { problem, fix }: Exposure) =>
  `The ${what} ${place} is not safe: ${problem}, so other users could grant themselves all rights. Check first that its content is yours, then fix it with "${fix}", or name another place in ${variable}`;

/** For everything that trusts the content of our directories. */
export function refuseExposed(places: Places): void {
  const problem = exposedPlace(places);
  if (problem !== null) throw new Error(problem);
}
