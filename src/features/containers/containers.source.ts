import type { Source } from '../../core/module.ts';
import { settledWithin } from '../../lib/clock.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import {
  assembleContainers,
  type ContainerUses,
  type PlatformReasons,
  type SeenEngine,
} from './containers.assemble.ts';
import type { EngineAccess } from './containers.contract.ts';
import { createFollowedEngine, type FollowedEngine } from './containers.engine.ts';
import type { Containers } from './containers.schema.ts';
import type { InspectedContainer } from './engine-responses.ts';

/** How often sockets are looked up. */
const lookUpEveryMs = 5000;
/** Longer than the minute between two scrapes, so that they do not query everything again. */
const restAfterMs = 70_000;
/** An engine that is silent or slow must not delay the others: a response of the service may take 1.5 s. */
const usual = { silentMs: 1000, longestMs: 1200 };
/** A command reads once and has more time. */
const once = { silentMs: 6000, longestMs: 8000 };

interface ContainersParts extends EngineAccess {
  passing: boolean;
  settings(): Settings['containers'];
  /** Usage of the running containers. */
  uses: { read(containers: readonly InspectedContainer[]): Promise<ContainerUses>; close(): void };
  words: PlatformReasons;
}

/** Containers of all engines, kept current by their events. */
export function createContainersSource(parts: ContainersParts): Source<Containers> {
  const { clock, passing, uses } = parts;
  const engines = new Map<string, FollowedEngine>();
  const { silentMs, longestMs } = passing ? once : usual;
  let refused: SeenEngine[] = [];
  let lookedUpAt = Number.NEGATIVE_INFINITY;
  let lookedUp = '';
  let notify: (() => void) | null = null;
  let cancelRest = () => {};

  const rest = () => {
    for (const engine of engines.values()) engine.rest();
  };

  const restLater = () => {
    cancelRest();
    cancelRest = clock.after(restAfterMs, rest);
  };

  const lookUpAll = async () => {
    const paths = parts.places(parts.settings().sockets);
    if (clock.monotonic() - lookedUpAt < lookUpEveryMs && lookedUp === paths.join('\n')) return;
    lookedUpAt = clock.monotonic();
    lookedUp = paths.join('\n');
    const found = new Set<string>();
    const places = await Promise.all(paths.map(async (path) => ({ path, place: await parts.lookUp(path) })));
    refused = [];
    for (const { path, place } of places) {
      if (place.kind === 'refused')
        refused.push({ socket: path, facts: null, problem: `${path} is not used: ${place.problem}` });
      if (place.kind !== 'socket' || found.has(place.path)) continue;
      found.add(place.path);
      if (engines.has(place.path)) continue;
      const changed = () => notify?.();
      engines.set(place.path, createFollowedEngine(parts, { socket: place.path, passing, changed }));
    }
    for (const [path, engine] of engines) {
      if (found.has(path)) continue;
      engine.rest();
      engines.delete(path);
    }
  };

  const refresh = async (engine: FollowedEngine): Promise<SeenEngine> => {
    if (engine.isCurrent()) return engine;
    const from = clock.monotonic();
    let isDone = false;
    const done = engine.refresh().then(() => {
      isDone = true;
    });
    const silence = () => clock.monotonic() - engine.silentSince();
    while (!isDone) {
      const leftMs = Math.min(silentMs - silence(), from + longestMs - clock.monotonic());
      if (leftMs <= 0) break;
      await settledWithin(clock, done, leftMs);
    }
    if (isDone) return engine;
    // The late result is announced as a change.
    void done.then(() => notify?.());
    const isSilent = silence() >= silentMs;
    const problem = engine.problem ?? (isSilent ? `The engine at ${engine.socket} has not answered yet` : null);
    return { ...engine, problem, isPartial: !isSilent };
  };

  return {
    async read(reasons) {
      await lookUpAll();
      const seen = await Promise.all([...engines.values()].map(refresh));
      if (notify === null && !passing && engines.size > 0) restLater();
      const all = [...seen, ...refused];
      const use = await uses.read(seen.flatMap(({ containers }) => [...(containers?.values() ?? [])]));
      const { allowlist } = parts.settings();
      return assembleContainers(all, use, reasons, {
        runtimeDirectory: parts.runtimeDirectory(),
        allowlist,
        words: parts.words,
      });
    },
    watch(changed) {
      notify = changed;
      cancelRest();
      return () => {
        notify = null;
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
