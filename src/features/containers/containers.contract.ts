import type { ContainerLogs, ContainerOutput } from './containers.schema.ts';
import type { ContainerVerb } from './containers.verbs.ts';
import type { EngineClientParts } from './engine-client.ts';

export type SocketPlace =
  | { kind: 'absent' }
  /** It must not be used; `problem` completes "it is not used: …". */
  | { kind: 'refused'; problem: string }
  /** `path` is resolved, so that two names of one socket are equal. */
  | { kind: 'socket'; path: string };

/** How the engines of a platform are found and reached. */
export interface EngineAccess extends EngineClientParts {
  /** Paths where sockets of engines may be, with those of the settings. */
  places(added: readonly string[]): readonly string[];
  lookUp(place: string): SocketPlace | Promise<SocketPlace>;
  runtimeDirectory(): string | null;
}

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
