import type { EngineFacts } from './engine-answers.ts';

export interface NamedEngine {
  socket: string;
  /** null: it has not said yet; then its socket tells. */
  facts: EngineFacts | null;
}

/** What kind of engine it is, as far as that is known. */
export function engineKind(
  { facts, socket }: NamedEngine,
  runtimeDirectory: string | null,
): { name: EngineFacts['name']; rootless: boolean } {
  return {
    name: facts?.name ?? (socket.includes('podman') ? 'podman' : 'docker'),
    rootless: facts?.rootless ?? (runtimeDirectory !== null && socket.startsWith(`${runtimeDirectory}/`)),
  };
}

/** The names that engines have here, in the order they were given. */
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
