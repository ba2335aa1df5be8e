import path from 'node:path';
import type { Host } from '../host/host.ts';
import type { Exposure } from '../host/storage.ts';

type Places = Pick<Host, 'storage' | 'paths'>;

/** What decides who may do what. Whoever can change one of these can do everything that we can. */
const decisive = ({ paths: { config, state } }: Places): [what: string, place: string, variable: string][] => [
  ['state directory', state, 'SERVICE_STATE_DIR'],
  ['config directory', config, 'SERVICE_CONFIG_DIR'],
  ...['token', 'tokens.json', 'mcp-token', 'service.json', 'known-machines.json'].map(
    (name): [string, string, string] => ['file', path.join(state, name), 'SERVICE_STATE_DIR'],
  ),
  ['settings file', path.join(config, 'settings.json'), 'SERVICE_CONFIG_DIR'],
];

/** The first of our places that others could change, as a sentence with the command that mends it; null: none. */
export function exposedPlace(places: Places): string | null {
  for (const [what, place, variable] of decisive(places)) {
    const exposure = places.storage.exposure(place);
    if (exposure !== null) return sentence(what, place, variable, exposure);
  }
  return null;
}

const sentence = (what: string, place: string, variable: string, { problem, fix }: Exposure) =>
  `The ${what} ${place} is not safe: ${problem}, and could be used to give somebody else all rights. Mend it with "${fix}", or name another place in ${variable}`;

/** For everything that trusts what lies there. */
export function refuseExposed(places: Places): void {
  const problem = exposedPlace(places);
  if (problem !== null) throw new Error(problem);
}
