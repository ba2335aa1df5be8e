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
