import { messageOf } from '../../lib/errors.ts';
import {
  changingEvents,
  type EngineFacts,
  eventsOf,
  type InspectedContainer,
  isContainerId,
  parseContainerEvent,
  parseContainerIds,
  parseEngineFacts,
  parseInspected,
} from './engine-answers.ts';
import { createEngineClient, type EngineClientParts, EngineError } from './engine-client.ts';

/** One engine and what is known of its containers. It is asked for everything once, and then follows its events. */
export interface FollowedEngine {
  socket: string;
  /** null: it has not said yet. */
  facts: EngineFacts | null;
  /** Why it does not answer; null: it does, or has not been asked. */
  problem: string | null;
  containers: ReadonlyMap<string, InspectedContainer>;
  /** How many it has beyond those that are told. */
  untold: number;
  /** Whether what is known is true as it is. */
  isCurrent(): boolean;
  /** Makes what is known true again; returns when it is, or when it gives up for now. Never rejects. */
  refresh(): Promise<void>;
  /** Since when nothing has been heard from it, though it was asked; monotonic milliseconds. */
  silentSince(): number;
  /** Nobody looks: its events are not followed any more. What was known is asked anew when somebody looks again. */
  rest(): void;
}

/** More than a machine runs. Each costs memory here, and a line in every payload. */
export const mostContainers = 500;
const askedAtOnce = 4;
/** One that failed is left alone for so long. */
const retryMs = 3000;
const eventsPath = eventsOf(changingEvents);

export interface FollowedEngineOptions {
  socket: string;
  /** This process has one look: events are of no use to it. */
  passing: boolean;
  changed(): void;
}

export function createFollowedEngine(
  parts: EngineClientParts,
  { socket, passing, changed }: FollowedEngineOptions,
): FollowedEngine {
  const { clock } = parts;
  const client = createEngineClient(parts, socket);
  const containers = new Map<string, InspectedContainer>();
  /** Those that something has happened to since they were asked about. */
  const stale = new Set<string>();
  /** They were too many to remember: all are listed again. */
  let isOverrun = false;
  let stopEvents: (() => void) | null = null;
  let isComplete = false;
  let refreshing: Promise<void> | null = null;
  let failedAt = Number.NEGATIVE_INFINITY;
  let heardAt = Number.NEGATIVE_INFINITY;
  let beganAt = Number.NEGATIVE_INFINITY;
  let round = 0;

  const heard = () => {
    heardAt = clock.monotonic();
  };

  const forget = () => {
    round += 1;
    stopEvents?.();
    stopEvents = null;
    isComplete = false;
  };

  const follow = async () => {
    const mine = round;
    const stop = await client.followLines(
      eventsPath,
      (line) => {
        const event = mine === round ? parseContainerEvent(line) : null;
        if (event === null) return;
        // A new one beyond the bound is not asked about; that there is one more is seen when all are listed again.
        if (!isOverrun && (containers.has(event.id) || containers.size < mostContainers)) stale.add(event.id);
        if (stale.size > mostContainers) {
          stale.clear();
          isOverrun = true;
        }
        changed();
      },
      () => {
        if (mine !== round) return;
        stopEvents = null;
        forget();
        changed();
      },
    );
    if (mine !== round) return stop();
    stopEvents = stop;
    heard();
  };

  const inspect = async (id: string) => {
    if (!isContainerId(id)) return;
    try {
      const found = parseInspected(await client.get(`/containers/${id}/json`));
      heard();
      if (found?.id !== id) containers.delete(id);
      else if (containers.has(id) || containers.size < mostContainers) containers.set(id, found);
    } catch (error) {
      if (!(error instanceof EngineError) || error.status === null) throw error;
      heard();
      // It was removed meanwhile; or it is being removed, and the engine cannot say anything about it now.
      containers.delete(id);
    }
  };

  const inspectAll = async (ids: readonly string[]) => {
    const waiting = [...ids];
    const next = async (): Promise<void> => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) await inspect(id);
    };
    await Promise.all(Array.from({ length: askedAtOnce }, next));
  };

  const askAll = async () => {
    const [version, info] = await Promise.all([client.get('/version'), client.get('/info')]);
    heard();
    engine.facts = parseEngineFacts(version, info);
    // First of all, so that nothing falls between the list and the events.
    if (!passing) await follow();
    const ids = parseContainerIds(await client.get('/containers/json?all=1'));
    if (ids === null) throw new EngineError(`${socket} does not answer as a container engine does`);
    heard();
    const told = ids.slice(0, mostContainers);
    engine.untold = ids.length - told.length;
    for (const known of [...containers.keys()]) if (!told.includes(known)) containers.delete(known);
    stale.clear();
    isOverrun = false;
    await inspectAll(told);
    isComplete = true;
  };

  const isFollowed = () => isComplete && !isOverrun && (passing || stopEvents !== null);

  const work = async () => {
    if (!isFollowed() && clock.monotonic() - failedAt < retryMs) return;
    try {
      if (!isFollowed()) {
        forget();
        await askAll();
      } else if (stale.size > 0) {
        const ids = [...stale];
        stale.clear();
        await inspectAll(ids);
      }
      engine.problem = null;
    } catch (error) {
      failedAt = clock.monotonic();
      forget();
      containers.clear();
      engine.untold = 0;
      engine.problem = messageOf(error);
    }
  };

  const engine: FollowedEngine = {
    socket,
    facts: null,
    problem: null,
    containers,
    untold: 0,
    isCurrent: () => isFollowed() && stale.size === 0 && refreshing === null,
    refresh() {
      if (refreshing === null) beganAt = clock.monotonic();
      refreshing ??= work().finally(() => {
        refreshing = null;
      });
      return refreshing;
    },
    silentSince: () => Math.max(beganAt, heardAt),
    rest: forget,
  };
  return engine;
}
