import type { EngineFacts } from './engine-responses.ts';

export interface NamedEngine {
  socket: string;
  /** null: not known yet; the path of its socket decides instead. */
  facts: EngineFacts | null;
}

export function engineKind(
  { facts, socket }: NamedEngine,
  runtimeDirectory: string | null,
): { name: EngineFacts['name']; rootless: boolean } {
  return {
    name: facts?.name ?? (socket.includes('podman') ? 'podman' : 'docker'),
    rootless: facts?.rootless ?? (runtimeDirectory !== null && socket.startsWith(`${runtimeDirectory}/`)),
  };
}

/** Unique names of the engines, in the given order. */
export function engineIds(engines: readonly NamedEngine[], runtimeDirectory: string | null): string[] {
  const taken = new Map<string, number>();
  return engines.map((engine) => {
    const { name, rootless } = engineKind(engine, runtimeDirectory);
    const id = rootless ? `${name}-rootless` : name;
    const count = (taken.get(id) ?? 0) + 1;
    taken.set(id, count);
    return count === 1 ? id : `${id}-${count}`;
  });
}
