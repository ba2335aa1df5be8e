import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import { createEngineClient, type EngineClient, type EngineClientParts, EngineError } from './engine-client.ts';
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
} from './engine-responses.ts';

/** One engine and its containers. Everything is queried once; then its events are followed. */
export interface FollowedEngine {
  socket: string;
  /** null: not known yet. */
  facts: EngineFacts | null;
  /** Why it does not answer; null: it does, or was not queried yet. */
  problem: string | null;
  containers: ReadonlyMap<string, InspectedContainer>;
  /** Number of containers beyond the limit. */
  unlisted: number;
  /** Whether the containers are up to date. */
  isCurrent(): boolean;
  /** Brings the containers up to date; resolves then, or after a failure. Never rejects. */
  refresh(): Promise<void>;
  /** Start of the time without an answer, while a refresh runs; monotonic milliseconds. */
  silentSince(): number;
  /** Stops following events. The next refresh queries everything. */
  rest(): void;
}

/** More than a machine runs. Each costs memory here, and a line in every payload. */
export const mostContainers = 500;
const inspectedAtOnce = 4;
/** Pause after a failure. */
const retryMs = 3000;
const eventsPath = eventsOf(changingEvents);

interface FollowedEngineOptions {
  socket: string;
  /** This process reads once, so it follows no events. */
  passing: boolean;
  changed(): void;
}

interface EngineState extends FollowedEngineOptions {
  clock: Clock;
  client: EngineClient;
  containers: Map<string, InspectedContainer>;
  /** Containers with an event since they were inspected. */
  stale: Set<string>;
  /** Too many are stale: all are listed again. */
  isOverrun: boolean;
  isComplete: boolean;
  stopEvents: (() => void) | null;
  answeredAt: number;
  /** Changes when the events are unfollowed; callbacks of earlier rounds are ignored. */
  round: number;
}

export function createFollowedEngine(parts: EngineClientParts, options: FollowedEngineOptions): FollowedEngine {
  const { clock } = parts;
  const { socket } = options;
  const state: EngineState = {
    ...options,
    clock,
    client: createEngineClient(parts, socket),
    containers: new Map(),
    stale: new Set(),
    isOverrun: false,
    isComplete: false,
    stopEvents: null,
    answeredAt: Number.NEGATIVE_INFINITY,
    round: 0,
  };
  let refreshing: Promise<void> | null = null;
  let failedAt = Number.NEGATIVE_INFINITY;
  let refreshedAt = Number.NEGATIVE_INFINITY;

  const refreshNow = async () => {
    if (!isFollowed(state) && clock.monotonic() - failedAt < retryMs) return;
    try {
      if (!isFollowed(state)) {
        unfollow(state);
        await readAll(state, engine);
      } else if (state.stale.size > 0) {
        const ids = [...state.stale];
        state.stale.clear();
        await inspectAll(state, ids);
      }
      engine.problem = null;
    } catch (error) {
      failedAt = clock.monotonic();
      unfollow(state);
      state.containers.clear();
      engine.unlisted = 0;
      engine.problem = messageOf(error);
    }
  };

  const engine: FollowedEngine = {
    socket,
    facts: null,
    problem: null,
    containers: state.containers,
    unlisted: 0,
    isCurrent: () => isFollowed(state) && state.stale.size === 0 && refreshing === null,
    refresh() {
      if (refreshing === null) refreshedAt = clock.monotonic();
      refreshing ??= refreshNow().finally(() => {
        refreshing = null;
      });
      return refreshing;
    },
    silentSince: () => Math.max(refreshedAt, state.answeredAt),
    rest: () => unfollow(state),
  };
  return engine;
}

const isFollowed = ({ isComplete, isOverrun, passing, stopEvents }: EngineState) =>
  isComplete && !isOverrun && (passing || stopEvents !== null);

function unfollow(state: EngineState): void {
  state.round += 1;
  state.stopEvents?.();
  state.stopEvents = null;
  state.isComplete = false;
}

async function readAll(state: EngineState, engine: FollowedEngine): Promise<void> {
  const { client, containers } = state;
  const [version, info] = await Promise.all([client.get('/version'), client.get('/info')]);
  state.answeredAt = state.clock.monotonic();
  engine.facts = parseEngineFacts(version, info);
  // Before the list, so that no event between the two is lost.
  if (!state.passing) await follow(state);
  const ids = parseContainerIds(await client.get('/containers/json?all=1'));
  if (ids === null) throw new EngineError(`${state.socket} does not answer like a container engine`);
  state.answeredAt = state.clock.monotonic();
  const listed = ids.slice(0, mostContainers);
  engine.unlisted = ids.length - listed.length;
  for (const known of [...containers.keys()]) if (!listed.includes(known)) containers.delete(known);
  state.stale.clear();
  state.isOverrun = false;
  await inspectAll(state, listed);
  state.isComplete = true;
}

async function follow(state: EngineState): Promise<void> {
  const { round, containers, stale, changed } = state;
  const stop = await state.client.followLines(
    eventsPath,
    (line) => {
      const event = round === state.round ? parseContainerEvent(line) : null;
      if (event === null) return;
      // A new container beyond the limit is not inspected; the next listing counts it.
      if (!state.isOverrun && (containers.has(event.id) || containers.size < mostContainers)) stale.add(event.id);
      if (stale.size > mostContainers) {
        stale.clear();
        state.isOverrun = true;
      }
      changed();
    },
    () => {
      if (round !== state.round) return;
      state.stopEvents = null;
      unfollow(state);
      changed();
    },
  );
  if (round !== state.round) return stop();
  state.stopEvents = stop;
  state.answeredAt = state.clock.monotonic();
}

async function inspectAll(state: EngineState, ids: readonly string[]): Promise<void> {
  const waiting = ids.values();
  const worker = async () => {
    for (const id of waiting) await inspect(state, id);
  };
  await Promise.all(Array.from({ length: inspectedAtOnce }, worker));
}

async function inspect(state: EngineState, id: string): Promise<void> {
  if (!isContainerId(id)) return;
  const { clock, client, containers } = state;
  try {
    const found = parseInspected(await client.get(`/containers/${id}/json`));
    state.answeredAt = clock.monotonic();
    if (found?.id !== id) containers.delete(id);
    else if (containers.has(id) || containers.size < mostContainers) containers.set(id, found);
  } catch (error) {
    if (!(error instanceof EngineError) || error.status === null) throw error;
    state.answeredAt = clock.monotonic();
    // It was removed, or is being removed and cannot be inspected.
    containers.delete(id);
  }
}
