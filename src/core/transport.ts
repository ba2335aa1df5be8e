import type { Oauth } from '../access/oauth/oauth.ts';
import type { Pairing } from '../access/pairing/pairing.ts';
import type { SignIn } from '../access/sessions/sign-in.ts';
import type { Host } from '../host/host.ts';
import type { Log } from '../lib/log.ts';
import type { LogTail } from '../lib/log-tail.ts';
import type { SharedTimers } from '../lib/shared-timers.ts';
import type { Settings } from '../settings/settings.schema.ts';
import type { AskUser } from './agent.ts';
import type { RouteTable } from './route-table.ts';
import type { Service } from './service.ts';

export interface TransportParts {
  service: Service;
  host: Host;
  log: Log;
  /** The timers of the recorder, the pollers and all other periodic work. */
  timers: SharedTimers;
  settings: FollowedSettings;
  signIn: SignIn;
  /** Shows prompts to the user, one at a time; shared by all transports. */
  askUser: AskUser;
  /** Created for the first access request. */
  pairing(): Promise<Pairing>;
  /** Created for the first agent that uses OAuth. */
  oauth(): Promise<Oauth>;
  /** Where the service listens, by the command line, the environment and the settings. */
  listenOn: { address: string; port: number; securePort: number };
  /** The route table, and where it is reachable. */
  routeTable: RouteTable;
  /** The last log lines; omitted: they are not kept. */
  logTail?: LogTail | undefined;
}

/** The current settings. Each transport follows its own. */
export interface FollowedSettings {
  current(): Settings;
  /** Called after each change; returns the function that stops it. */
  onChange(changed: () => void): () => void;
}

export interface RunningTransport {
  /** The part of the start that takes a while; a rejection ends the start of the service. null or omitted: it is ready. */
  ready?: Promise<void> | null;
  stop(): Promise<void>;
}

/** A transport: it makes the service reachable, or publishes its data. A folder in `transports/`, and a line in `app/transports.ts`. */
export interface TransportDefinition {
  name: string;
  /**
   * Starts at once, or when the settings enable it, and loads nothing before. Problems are logged; a throw ends the start of the service
   * with its message.
   */
  start(parts: TransportParts): RunningTransport;
}

export function defineTransport(definition: TransportDefinition): TransportDefinition {
  return definition;
}
