import type { ServiceLogsOutput, ServiceOrderOutput, ServiceUnit, ServiceVerb } from './services.schema.ts';

export type NamedUnit = Pick<ServiceUnit, 'name' | 'scope'>;

/** What a platform implements. Methods throw a ServiceError on failure. */
export interface ServiceControl {
  unavailable(): string | null | Promise<string | null>;
  /** Why a name is invalid, checked without querying the system; null: it is valid. */
  nameProblem(unit: string): string | null;
  /** Resolves when the order is carried out and verified, or when it takes longer. */
  order(unit: NamedUnit, verb: ServiceVerb): Promise<Omit<ServiceOrderOutput, 'unit' | 'action'>>;
  logs(unit: NamedUnit, lines: number): Promise<Omit<ServiceLogsOutput, 'unit'>>;
}

const userMark = 'user:';

/** `user:sync.service` is a user unit. */
export function parseUnitName(given: string): NamedUnit {
  return given.startsWith(userMark)
    ? { name: given.slice(userMark.length), scope: 'user' }
    : { name: given, scope: 'system' };
}

/** `command`: the description of the command. */
export const serviceWords: Record<ServiceVerb, { description: string; command: string; past: string }> = {
  start: {
    description: 'Starts a service that the settings allow',
    command: 'start a service that is in services.allowlist in the settings',
    past: 'started',
  },
  stop: { description: 'Stops a service that the settings allow', command: 'stop a service', past: 'stopped' },
  restart: {
    description: 'Restarts a service that the settings allow',
    command: 'stop a service and start it again',
    past: 'restarted',
  },
  enable: {
    description: 'Lets a service that the settings allow start with the machine',
    command: 'start a service at boot',
    past: 'enabled',
  },
  disable: {
    description: 'Keeps a service that the settings allow from starting with the machine',
    command: 'no longer start a service at boot',
    past: 'disabled',
  },
};
