import type { Pairing } from '../access/pairing/pairing.ts';
import type { SignIn } from '../access/sessions/sign-in.ts';
import type { Host } from '../host/host.ts';
import type { Log } from '../lib/log.ts';
import type { LogTail } from '../lib/log-tail.ts';
import type { SharedTimers } from '../lib/shared-timers.ts';
import type { Settings } from '../settings/settings.schema.ts';
import type { AskUser } from './agent.ts';
import type { Entrance } from './route-table.ts';
import type { Service } from './service.ts';

/** What a transport is given. */
export interface TransportParts {
  service: Service;
  host: Host;
  log: Log;
  /** Those of the recorder, the pollers and everything else that is due at intervals. */
  timers: SharedTimers;
  settings: FollowedSettings;
  signIn: SignIn;
  /** The way to ask whoever sits at this machine; shared by all who do: one question at a time. */
  askUser: AskUser;
  /** Made for the first one who asks for access. */
  pairing(): Promise<Pairing>;
  /** Where the service is to listen, by the command line, the environment and the settings. */
  listenOn: { address: string; port: number; securePort: number };
  /** What is answered over HTTP, and where that is reached. */
  entrance: Entrance;
  /** What was logged last; left out: nobody keeps it. */
  logTail?: LogTail | undefined;
}

/** The settings as they are now. Each transport follows for itself what concerns it. */
export interface FollowedSettings {
  current(): Settings;
  /** Called after each change; returns the way to stop. */
  onChange(changed: () => void): () => void;
}

export interface RunningTransport {
  /** What belongs to the start and takes a while; a rejection ends the start of the service. null or left out: it stands already. */
  ready?: Promise<void> | null;
  stop(): Promise<void>;
}

/** A way by which the service is reached, or by which it tells others: a folder in `transports/`, and a line in `serve.transports.ts`. */
export interface TransportDefinition {
  name: string;
  /**
   * Begins at once, or when the settings say so. Loads nothing before that. Never throws for what can be said in the log; a throw ends the start
   * of the service with its message.
   */
  start(parts: TransportParts): RunningTransport;
}

export function defineTransport(definition: TransportDefinition): TransportDefinition {
  return definition;
}
