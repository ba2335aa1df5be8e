import type { ServiceLogsOutput, ServiceOrderOutput, ServiceVerb } from './services.schema.ts';

/** A unit, and whose it is. */
export interface NamedUnit {
  name: string;
  scope: 'system' | 'user';
}

/** What a platform implements. Each throws a ServiceError with a sentence where it does not come true. */
export interface ServiceControl {
  unavailable(): string | null | Promise<string | null>;
  /** What is wrong with a name, before anything is asked of the system; null: nothing. */
  nameProblem(unit: string): string | null;
  /** Resolves when it is done and looked at, or when it takes longer. */
  order(unit: NamedUnit, verb: ServiceVerb): Promise<Omit<ServiceOrderOutput, 'unit' | 'action'>>;
  logs(unit: NamedUnit, lines: number): Promise<Omit<ServiceLogsOutput, 'unit'>>;
}

const userMark = 'user:';

/** `user:sync.service` is one of the user. */
export function parseUnitName(given: string): NamedUnit {
  return given.startsWith(userMark)
    ? { name: given.slice(userMark.length), scope: 'user' }
    : { name: given, scope: 'system' };
}
