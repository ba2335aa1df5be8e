import path from 'node:path';
import type { Environment } from './environment.ts';

export interface Paths {
  /** Holds settings.json. */
  config: string;
  /** Holds tokens and state; readable by its owner only. */
  state: string;
  /** Of the user's session: sockets of buses and sound servers. It may not exist, as outside of any session; null: not available on this system, or another user could change it. */
  runtime: string | null;
}

/** The default places of this platform, unless variables of the service name others. */
export function createPaths({ variable }: Pick<Environment, 'variable'>, customary: Paths): Paths {
  return {
    config: path.resolve(variable('SERVICE_CONFIG_DIR') ?? customary.config),
    state: path.resolve(variable('SERVICE_STATE_DIR') ?? customary.state),
    get runtime() {
      return customary.runtime;
    },
  };
}
