import type { CreateSource } from '../../core/module.ts';
import { engineSocketPaths } from '../../host/linux/containers/engine-sockets.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import type { Containers } from './containers.schema.ts';
import { assembleContainers, type SeenEngine } from './linux/containers.assemble.ts';
import { createFollowedEngine, type FollowedEngine } from './linux/containers.engine.ts';
import { createContainerRates } from './linux/containers.rates.ts';

/** How often it is looked which sockets there are. */
const lookEveryMs = 5000;
/** Longer than those who ask once a minute: their next question is answered without asking the engines for everything again. */
const restAfterMs = 70_000;
/** One that says nothing for so long, or goes on and on, does not hold up the others: an answer of the service may take 1.5 s altogether. */
const usual = { patienceMs: 1000, longestMs: 1200 };
/** A command that has one look has more time. */
const unhurried = { patienceMs: 6000, longestMs: 8000 };

/** Engines tell what there is and what happens; what containers use comes from the kernel. */
export const containersLinux: CreateSource<Containers, LinuxHost> = (host, { settings, passing = false }) => {
  const { clock, environment } = host;
  const engines = new Map<string, FollowedEngine>();
  const rates = createContainerRates(host);
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

  const look = () => {
    const paths = engineSocketPaths(environment.variable('XDG_RUNTIME_DIR'), settings().containers.sockets);
    if (clock.monotonic() - lookedAt < lookEveryMs && lookedFor === paths.join('\n')) return;
    lookedAt = clock.monotonic();
    lookedFor = paths.join('\n');
    const found = new Set<string>();
    refused = [];
    for (const path of paths) {
      const place = host.lookAtSocket(path);
      if (place.kind === 'refused')
        refused.push({ socket: path, facts: null, problem: `${path} is not used: ${place.problem}` });
      if (place.kind !== 'socket' || found.has(place.path)) continue;
      found.add(place.path);
      if (engines.has(place.path)) continue;
      const changed = () => tell?.();
      engines.set(place.path, createFollowedEngine(host, { socket: place.path, passing, changed }));
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
      look();
      const seen = await Promise.all([...engines.values()].map(refresh));
      if (tell === null && !passing && engines.size > 0) restLater();
      const all = [...seen, ...refused];
      const use = await rates.read(seen.flatMap(({ containers }) => [...(containers?.values() ?? [])]));
      const { allowlist } = settings().containers;
      const runtimeDirectory = environment.variable('XDG_RUNTIME_DIR');
      return assembleContainers(all, use, reasons, { runtimeDirectory, allowlist });
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
      rates.close();
    },
  };
};
