import { messageOf, ServiceError } from '../../lib/errors.ts';
import type { ContainerControl, EngineAccess, WantedContainer } from './containers.contract.ts';
import { createLogLines } from './containers.log-lines.ts';
import { type ContainerVerb, containerWords } from './containers.verbs.ts';
import { createEngineClient, type EngineClient, EngineError } from './engine-client.ts';
import { engineIds } from './engine-ids.ts';
import { type EngineFacts, type InspectedContainer, parseEngineFacts, parseInspected } from './engine-responses.ts';

interface ContainerControlParts extends EngineAccess {
  /** Id of the container that this service runs in; null: none. */
  ownContainer(): string | null;
  noEngines: string;
}

/** A container that takes longer continues to stop; the response says so. */
const orderLimitMs = 90_000;
const logsLimitMs = 15_000;

interface Found {
  client: EngineClient;
  engine: string;
  container: InspectedContainer;
}

export function createContainerControl(parts: ContainerControlParts): ContainerControl {
  return {
    unavailable: async (sockets) => ((await socketsOf(parts, sockets)).length === 0 ? parts.noEngines : null),
    order: (verb, wanted) => order(parts, verb, wanted),
    async logs(wanted, lines) {
      const { client, engine, container } = await findContainer(parts, wanted);
      const collected = createLogLines({ hasTerminal: container.hasTerminal, most: lines });
      try {
        await client.collect(
          `/containers/${container.id}/logs?stdout=1&stderr=1&timestamps=1&tail=${lines}`,
          collected.take,
          { limitMs: logsLimitMs, signal: wanted.signal },
        );
      } catch (error) {
        throw refusal(error, `The output of ${JSON.stringify(container.name)} cannot be read`);
      }
      return { name: container.name, id: container.id, engine, ...collected.end() };
    },
  };
}

async function socketsOf({ places, lookUp }: EngineAccess, added: readonly string[]): Promise<string[]> {
  const found = await Promise.all(places(added).map(lookUp));
  return [...new Set(found.flatMap((place) => (place.kind === 'socket' ? [place.path] : [])))];
}

async function order(parts: ContainerControlParts, verb: ContainerVerb, wanted: WantedContainer) {
  const { client, engine, container } = await findContainer(parts, wanted);
  const { id, name } = container;
  const called = JSON.stringify(name);
  if (verb !== 'start' && verb !== 'resume' && id === parts.ownContainer())
    throw new ServiceError(
      'forbidden',
      `${called} is the container that Hostler itself runs in: it is not ${verb === 'pause' ? 'paused' : 'stopped'} from within`,
    );
  const done = (now: InspectedContainer | null, changed: boolean) => ({
    name,
    id,
    engine,
    state: now?.state ?? 'removed',
    changed,
    message: outcome(verb, container, now, changed),
  });
  // Engines refuse to pause a paused container, but accept a second start or stop.
  if ((verb === 'pause' && container.state === 'paused') || (verb === 'resume' && container.state === 'running'))
    return done(container, false);
  const { signal } = wanted;
  try {
    const { changed } = await client.post(`/containers/${id}/${verb === 'resume' ? 'unpause' : verb}`, {
      limitMs: orderLimitMs,
      signal,
    });
    return done(await inspect(client, id, signal), changed);
  } catch (error) {
    throw refusal(error, `${called} could not be ${containerWords[verb].done}`);
  }
}

/** null: no such container. Engines also accept the prefix of an id, so the caller compares the name. */
async function inspect(client: EngineClient, key: string, signal: AbortSignal): Promise<InspectedContainer | null> {
  try {
    return parseInspected(await client.get(`/containers/${encodeURIComponent(key)}/json`, { signal }));
  } catch (error) {
    if (error instanceof EngineError && error.status === 404) return null;
    throw error;
  }
}

/** What one engine answers: itself, the container of that name, or why it does not answer. */
async function askEngine(parts: EngineAccess, socket: string, name: string, signal: AbortSignal) {
  const client = createEngineClient(parts, socket);
  let facts: EngineFacts | null = null;
  let container: InspectedContainer | null = null;
  let problem: string | null = null;
  try {
    const [version, info] = await Promise.all([client.get('/version', { signal }), client.get('/info', { signal })]);
    facts = parseEngineFacts(version, info);
    container = await inspect(client, name, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    problem = messageOf(error);
  }
  return { socket, client, facts, container, problem };
}

/** Resolves the name once; everything after uses the id. */
async function findContainer(
  parts: ContainerControlParts,
  { name, engine, sockets, signal }: WantedContainer,
): Promise<Found> {
  const all = await Promise.all(
    (await socketsOf(parts, sockets)).map((socket) => askEngine(parts, socket, name, signal)),
  );
  if (all.length === 0) throw new ServiceError('unsupported', parts.noEngines);
  const ids = engineIds(all, parts.runtimeDirectory());
  const known = all.map((each, at) => ({ ...each, engine: ids[at] ?? '' }));
  if (engine !== undefined && !ids.includes(engine))
    throw new ServiceError('not_found', `There is no engine ${JSON.stringify(engine)} here, only ${ids.join(', ')}`);
  const queried = known.filter((each) => engine === undefined || each.engine === engine);
  const byId = new Map<string, Found>();
  for (const { container, client, engine: id } of queried)
    if (container?.name === name && !byId.has(container.id)) byId.set(container.id, { client, engine: id, container });
  const [found, other] = byId.values();
  if (found === undefined) throw notFound(name, queried);
  if (other === undefined) return found;
  throw new ServiceError(
    'conflict',
    `Both ${found.engine} and ${other.engine} have a container ${JSON.stringify(name)}; specify the engine`,
  );
}

function notFound(name: string, queried: readonly { engine: string; problem: string | null }[]): ServiceError {
  const silent = queried.flatMap(({ problem }) => problem ?? []);
  if (silent.length === queried.length && silent[0] !== undefined) return new ServiceError('failed', silent[0]);
  const where = queried.map(({ engine }) => engine).join(' or ');
  const hint = silent[0] === undefined ? '' : `. Not every engine answered: ${silent[0]}`;
  return new ServiceError('not_found', `There is no container ${JSON.stringify(name)} in ${where}${hint}`);
}

/** The message for the state afterwards; throws if that is not the ordered one. */
function outcome(
  verb: ContainerVerb,
  before: InspectedContainer,
  now: InspectedContainer | null,
  changed: boolean,
): string {
  const called = JSON.stringify(before.name);
  if (now === null) {
    // Created with --rm: removed when it ends.
    if (verb === 'stop') return `${called} was stopped, and the engine has removed it`;
    throw new ServiceError('failed', `${called} no longer exists: the engine has removed it`);
  }
  const { state, exitCode } = now;
  const isUp = state === 'running' || state === 'restarting';
  const reached: Record<ContainerVerb, string | false> = {
    start: isUp && 'running',
    restart: isUp && 'running',
    stop: now.pid === null && 'stopped',
    pause: state === 'paused' && 'paused',
    resume: isUp && 'running',
  };
  if (reached[verb] !== false) return `${called} ${changed ? 'is' : 'was already'} ${reached[verb]}`;
  if ((verb === 'start' || verb === 'restart') && state === 'exited' && exitCode === 0)
    return `${called} was started and has ended with exit code 0`;
  const ended = state === 'exited' && exitCode !== null ? ` with exit code ${exitCode}` : '';
  throw new ServiceError('failed', `The engine accepted the order, but ${called} is ${state}${ended}`);
}

function refusal(error: unknown, subject: string): unknown {
  if (!(error instanceof EngineError)) return error;
  const code = error.status === 404 ? 'not_found' : error.status === 409 ? 'conflict' : 'failed';
  return new ServiceError(code, `${subject}: ${error.message}`, { cause: error });
}
