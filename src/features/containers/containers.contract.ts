import type { ContainerLogs, ContainerOutput } from './containers.schema.ts';
import type { ContainerVerb } from './containers.verbs.ts';

/** `sockets`: paths of engines beside the usual ones. */
export interface WantedContainer {
  name: string;
  engine: string | undefined;
  sockets: readonly string[];
  signal: AbortSignal;
}

/** What a platform implements. Methods throw a ServiceError unless exactly one container has that name. */
export interface ContainerControl {
  /** null: an engine was found. */
  unavailable(sockets: readonly string[]): Promise<string | null>;
  /** Resolves when the engine reports the ordered state. */
  order(verb: ContainerVerb, wanted: WantedContainer): Promise<ContainerOutput & { message: string }>;
  logs(wanted: WantedContainer, lines: number): Promise<ContainerLogs>;
}
