import type { Host } from '../host/host.ts';
import type { Log } from '../lib/log.ts';
import type { Settings } from '../settings/settings.schema.ts';
import type { Service } from './service.ts';

/** What a transport is given. */
export interface TransportParts {
  service: Service;
  host: Host;
  log: Log;
  settings: FollowedSettings;
  /** Where the service is reached over HTTP, once it listens. */
  reach(): { address: string; port: number };
}

/** The settings as they are now. Each transport follows for itself what concerns it. */
export interface FollowedSettings {
  current(): Settings;
  /** Called after each change; returns the way to stop. */
  onChange(changed: () => void): () => void;
}

export interface RunningTransport {
  stop(): Promise<void>;
}

/** A way by which the service is reached, or by which it tells others: a folder in `transports/`, and a line in the list of them. */
export interface TransportDefinition {
  name: string;
  /** Begins at once, or when the settings say so. Loads nothing before that. Never throws for what can be said in the log. */
  start(parts: TransportParts): RunningTransport;
}

export function defineTransport(definition: TransportDefinition): TransportDefinition {
  return definition;
}
