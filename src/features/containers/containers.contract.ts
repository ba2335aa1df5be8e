import type { ContainerLogs, ContainerOutput } from './containers.schema.ts';
import type { ContainerVerb } from './containers.verbs.ts';

/** Which container, and where engines are looked for beside the usual places. */
export interface WantedContainer {
  name: string;
  engine: string | undefined;
  sockets: readonly string[];
  signal: AbortSignal;
}

/** What a platform implements. Each refuses, with a sentence, whatever is not exactly one container of that name. */
export interface ContainerControl {
  /** null: there is an engine to ask. */
  unavailable(sockets: readonly string[]): Promise<string | null>;
  /** Resolves when the engine says that the container is as it was ordered. */
  order(verb: ContainerVerb, wanted: WantedContainer): Promise<ContainerOutput & { message: string }>;
  logs(wanted: WantedContainer, lines: number): Promise<ContainerLogs>;
}
