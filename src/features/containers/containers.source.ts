import type { Source } from '../../core/module.ts';
import { assembleContainers, type ContainerUses, type SeenEngine, type UnseenWords } from './containers.assemble.ts';
import { createFollowedEngine, type FollowedEngine } from './containers.engine.ts';
import type { Containers } from './containers.schema.ts';
import type { InspectedContainer } from './engine-answers.ts';
import type { EngineClientParts } from './engine-client.ts';
import type { SocketPlace } from './socket-status.ts';

/** How often it is looked which sockets there are. */
const lookEveryMs = 5000;
/** Longer than those who ask once a minute: their next question is answered without asking the engines for everything again. */
const restAfterMs = 70_000;
/** One that says nothing for so long, or goes on and on, does not hold up the others: an answer of the service may take 1.5 s altogether. */
const usual = { patienceMs: 1000, longestMs: 1200 };
/** A command that has one look has more time. */
const unhurried = { patienceMs: 6000, longestMs: 8000 };

export interface ContainersParts extends EngineClientParts {
  passing: boolean;
  /** Where engines may answer. */
  places(): string[];
  lookAt(place: string): SocketPlace | Promise<SocketPlace>;
  /** What the running ones use. */
  uses: { read(containers: readonly InspectedContainer[]): Promise<ContainerUses>; close(): void };
  runtimeDirectory(): string | null;
  allowlist(): readonly string[];
  words: UnseenWords;
}

/** Engines tell what there is and what happens. */
export function createContainersSource(parts: ContainersParts): Source<Containers> {
  const { clock, passing, uses } = parts;
  const engines = new Map<string, FollowedEngine>();
  const { patienceMs, longestMs } = passing ? unhurried : usual;
  let refused: SeenEngine[] = [];
  let lookedAt = Number.NEGATIVE_INFINITY;
  let lookedFor = '';
  let tell: (() => void) | null = null;
  let cancelRest = () => {};

  const rest = () => {
    for (const engine of engines.values()) engine.rest();
  };

  const restLater = () => {
    cancelRest();
    cancelRest = clock.after(restAfterMs, rest);
  };

  const look = async () => {
    const paths = parts.places();
    if (clock.monotonic() - lookedAt < lookEveryMs && lookedFor === paths.join('\n')) return;
    lookedAt = clock.monotonic();
    lookedFor = paths.join('\n');
    const found = new Set<string>();
    const places = await Promise.all(paths.map(async (path) => ({ path, place: await parts.lookAt(path) })));
    refused = [];
    for (const { path, place } of places) {
      if (place.kind === 'refused')
        refused.push({ socket: path, facts: null, problem: `${path} is not used: ${place.problem}` });
      if (place.kind !== 'socket' || found.has(place.path)) continue;
      found.add(place.path);
      if (engines.has(place.path)) continue;
      const changed = () => tell?.();
      engines.set(place.path, createFollowedEngine(parts, { socket: place.path, passing, changed }));
    }
    for (const [path, engine] of engines) {
      if (found.has(path)) continue;
      engine.rest();
      engines.delete(path);
    }
  };

  const withinMs = (done: Promise<void>, ms: number) =>
    new Promise<void>((resolve) => {
      const cancel = clock.after(ms, resolve);
      void done.then(() => {
        cancel();
        resolve();
      });
    });

  const refresh = async (engine: FollowedEngine): Promise<SeenEngine> => {
    if (engine.isCurrent()) return engine;
    const from = clock.monotonic();
    let isDone = false;
    const done = engine.refresh().then(() => {
      isDone = true;
    });
    const silentMs = () => clock.monotonic() - engine.silentSince();
    while (!isDone) {
      const leftMs = Math.min(patienceMs - silentMs(), from + longestMs - clock.monotonic());
      if (leftMs <= 0) break;
      await withinMs(done, leftMs);
    }
    if (isDone) return engine;
    // What it says in the end is told then.
    void done.then(() => tell?.());
    const isSilent = silentMs() >= patienceMs;
    const problem = engine.problem ?? (isSilent ? `The engine at ${engine.socket} has not answered yet` : null);
    return { ...engine, problem, isPartial: !isSilent };
  };

  return {
    async read(reasons) {
      await look();
      const seen = await Promise.all([...engines.values()].map(refresh));
      if (tell === null && !passing && engines.size > 0) restLater();
      const all = [...seen, ...refused];
      const use = await uses.read(seen.flatMap(({ containers }) => [...(containers?.values() ?? [])]));
      const [runtimeDirectory, allowlist] = [parts.runtimeDirectory(), parts.allowlist()];
      return assembleContainers(all, use, reasons, { runtimeDirectory, allowlist, words: parts.words });
    },
    watch(changed) {
      tell = changed;
      cancelRest();
      return () => {
        tell = null;
        restLater();
      };
    },
    close() {
      cancelRest();
      rest();
      uses.close();
    },
  };
}
