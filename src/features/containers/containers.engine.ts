import { messageOf } from '../../lib/errors.ts';
import { createEngineClient, type EngineClientParts, EngineError } from './engine-client.ts';
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

/** More than a machine runs. Each costs memory here, and a line in every payload. */
export const mostContainers = 500;
const inspectedAtOnce = 4;
/** Pause after a failure. */
const retryMs = 3000;
const eventsPath = eventsOf(changingEvents);

/** One engine and its containers. Everything is queried once; then its events are followed. */
export type FollowedEngine = ReturnType<typeof createEngineState> & {
  /** Whether the containers are up to date. */
  isCurrent(): boolean;
  /** Brings the containers up to date; resolves then, or after a failure. Never rejects. */
  refresh(): Promise<void>;
  /** Start of the time without an answer, while a refresh runs; monotonic milliseconds. */
  silentSince(): number;
  /** Stops following events. The next refresh queries everything. */
  rest(): void;
};

type EngineState = ReturnType<typeof createEngineState>;

const createEngineState = (
  parts: EngineClientParts,
  /** `passing`: this process reads once, so it follows no events. */
  options: { socket: string; passing: boolean; changed(): void },
) => ({
  ...options,
  clock: parts.clock,
  client: createEngineClient(parts, options.socket),
  /** null: not known yet. */
  facts: null as EngineFacts | null,
  /** Why it does not answer; null: it does, or was not queried yet. */
  problem: null as string | null,
  containers: new Map<string, InspectedContainer>(),
  /** Number of containers beyond the limit. */
  unlisted: 0,
  /** Containers with an event since they were inspected. */
  stale: new Set<string>(),
  /** Too many are stale: all are listed again. */
  isOverrun: false,
  isComplete: false,
  stopEvents: null as (() => void) | null,
  answeredAt: Number.NEGATIVE_INFINITY,
  /** Changes when the events are unfollowed; callbacks of earlier rounds are ignored. */
  round: 0,
});

export function createFollowedEngine(...given: Parameters<typeof createEngineState>): FollowedEngine {
  const state = createEngineState(...given);
  const { clock } = state;
  let refreshing: Promise<void> | null = null;
  let failedAt = Number.NEGATIVE_INFINITY;
  let refreshedAt = Number.NEGATIVE_INFINITY;

  const refreshNow = async () => {
    if (!isFollowed(state) && clock.monotonic() - failedAt < retryMs) return;
    try {
      if (!isFollowed(state)) {
        unfollow(state);
        await readAll(state);
      } else if (state.stale.size > 0) {
        const ids = [...state.stale];
        state.stale.clear();
        await inspectAll(state, ids);
      }
      state.problem = null;
    } catch (error) {
      failedAt = clock.monotonic();
      unfollow(state);
      state.containers.clear();
      state.unlisted = 0;
      state.problem = messageOf(error);
    }
  };

  return Object.assign(state, {
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
  });
}

const isFollowed = ({ isComplete, isOverrun, passing, stopEvents }: EngineState) =>
  isComplete && !isOverrun && (passing || stopEvents !== null);

function unfollow(state: EngineState): void {
  state.round += 1;
  state.stopEvents?.();
  state.stopEvents = null;
  state.isComplete = false;
}

async function readAll(state: EngineState): Promise<void> {
  const { client, containers } = state;
  const [version, info] = await Promise.all([client.get('/version'), client.get('/info')]);
  state.answeredAt = state.clock.monotonic();
  state.facts = parseEngineFacts(version, info);
  // Before the list, so that no event between the two is lost.
  if (!state.passing) await follow(state);
  const ids = parseContainerIds(await client.get('/containers/json?all=1'));
  if (ids === null) throw new EngineError(`${state.socket} does not answer like a container engine`);
  state.answeredAt = state.clock.monotonic();
  const listed = ids.slice(0, mostContainers);
  state.unlisted = ids.length - listed.length;
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
