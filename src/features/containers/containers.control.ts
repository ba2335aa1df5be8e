import { messageOf, ServiceError } from '../../lib/errors.ts';
import type { ContainerControl, WantedContainer } from './containers.contract.ts';
import { createLogLines } from './containers.log-lines.ts';
import type { ContainerVerb } from './containers.verbs.ts';
import { type EngineFacts, type InspectedContainer, parseEngineFacts, parseInspected } from './engine-answers.ts';
import { createEngineClient, type EngineClient, type EngineClientParts, EngineError } from './engine-client.ts';
import { engineIds } from './engine-ids.ts';

export interface ContainerControlParts extends EngineClientParts {
  /** Where engines answer. */
  socketsOf(added: readonly string[]): string[] | Promise<string[]>;
  runtimeDirectory(): string | null;
  /** The container that this service runs in; null: it runs in none. */
  ownContainer(): string | null;
  noEngines: string;
}

/** A container may take longer to stop; then it goes on stopping, and the answer says so. */
const orderLimitMs = 90_000;
const logsLimitMs = 15_000;
const paths: Record<ContainerVerb, string> = {
  start: 'start',
  stop: 'stop',
  restart: 'restart',
  pause: 'pause',
  resume: 'unpause',
};

interface Found {
  client: EngineClient;
  engine: string;
  container: InspectedContainer;
}

export function createContainerControl(parts: ContainerControlParts): ContainerControl {
  const { socketsOf, runtimeDirectory, noEngines } = parts;

  /** The container of that name and nothing else: engines take the beginning of an id for a name as well. */
  const inspect = async (
    client: EngineClient,
    key: string,
    signal: AbortSignal,
  ): Promise<InspectedContainer | null> => {
    try {
      return parseInspected(await client.get(`/containers/${encodeURIComponent(key)}/json`, { signal }));
    } catch (error) {
      if (error instanceof EngineError && error.status === 404) return null;
      throw error;
    }
  };

  /** Resolves the name once; from then on it is the id that counts. */
  const find = async ({ name, engine, sockets, signal }: WantedContainer): Promise<Found> => {
    const all = await Promise.all(
      (await socketsOf(sockets)).map(async (socket) => {
        const client = createEngineClient(parts, socket);
        const looked: { facts: EngineFacts | null; container: InspectedContainer | null; problem: string | null } = {
          facts: null,
          container: null,
          problem: null,
        };
        try {
          const [version, info] = await Promise.all([
            client.get('/version', { signal }),
            client.get('/info', { signal }),
          ]);
          looked.facts = parseEngineFacts(version, info);
          looked.container = await inspect(client, name, signal);
        } catch (error) {
          if (signal.aborted) throw error;
          looked.problem = messageOf(error);
        }
        return { socket, client, ...looked };
      }),
    );
    if (all.length === 0) throw new ServiceError('unsupported', noEngines);
    const ids = engineIds(all, runtimeDirectory());
    const known = all.map((each, at) => ({ ...each, engine: ids[at] ?? '' }));
    if (engine !== undefined && !ids.includes(engine))
      throw new ServiceError('not_found', `There is no engine ${JSON.stringify(engine)} here, only ${ids.join(', ')}`);
    const asked = known.filter((each) => engine === undefined || each.engine === engine);
    const byId = new Map<string, Found>();
    for (const { container, client, engine: id } of asked)
      if (container?.name === name && !byId.has(container.id))
        byId.set(container.id, { client, engine: id, container });
    const [found, other] = byId.values();
    if (found === undefined) throw notFound(name, asked);
    if (other === undefined) return found;
    throw new ServiceError(
      'conflict',
      `Both ${found.engine} and ${other.engine} have a container ${JSON.stringify(name)}; say which engine is meant`,
    );
  };

  return {
    unavailable: async (sockets) => ((await socketsOf(sockets)).length === 0 ? noEngines : null),
    async order(verb, wanted) {
      const { client, engine, container } = await find(wanted);
      const { id, name } = container;
      const called = JSON.stringify(name);
      if (verb !== 'start' && verb !== 'resume' && id === parts.ownContainer())
        throw new ServiceError(
          'forbidden',
          `${called} is the container that Hostler itself runs in: it is not ${verb === 'pause' ? 'paused' : 'stopped'} from within`,
        );
      // Engines refuse to pause what is paused; to start and to stop once more they do not mind.
      if ((verb === 'pause' && container.state === 'paused') || (verb === 'resume' && container.state === 'running'))
        return {
          name,
          id,
          engine,
          state: container.state,
          changed: false,
          message: outcome(verb, container, container, false),
        };
      const { signal } = wanted;
      try {
        const { changed } = await client.post(`/containers/${id}/${paths[verb]}`, { limitMs: orderLimitMs, signal });
        const now = await inspect(client, id, signal);
        return {
          name,
          id,
          engine,
          state: now?.state ?? 'removed',
          changed,
          message: outcome(verb, container, now, changed),
        };
      } catch (error) {
        throw refusal(
          error,
          `${called} could not be ${verb === 'stop' ? 'stopped' : `${verb}${verb.endsWith('e') ? 'd' : 'ed'}`}`,
        );
      }
    },
    async logs(wanted, lines) {
      const { client, engine, container } = await find(wanted);
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

function notFound(name: string, asked: readonly { engine: string; problem: string | null }[]): ServiceError {
  const silent = asked.flatMap(({ problem }) => problem ?? []);
  if (silent.length === asked.length && silent[0] !== undefined) return new ServiceError('failed', silent[0]);
  const where = asked.map(({ engine }) => engine).join(' or ');
  const unasked = silent[0] === undefined ? '' : `. Not every engine could be asked: ${silent[0]}`;
  return new ServiceError('not_found', `There is no container ${JSON.stringify(name)} in ${where}${unasked}`);
}

/** What became of it, as the engine says afterwards; throws where that is not what was ordered. */
function outcome(
  verb: ContainerVerb,
  before: InspectedContainer,
  now: InspectedContainer | null,
  changed: boolean,
): string {
  const called = JSON.stringify(before.name);
  if (now === null) {
    // Made with --rm: it goes with its end.
    if (verb === 'stop') return `${called} was stopped, and the engine has removed it`;
    throw new ServiceError('failed', `${called} is gone: the engine has removed it in the meantime`);
  }
  const { state, exitCode } = now;
  const isUp = state === 'running' || state === 'restarting';
  const is = changed ? 'is' : 'was already';
  switch (verb) {
    case 'start':
    case 'restart':
      if (isUp) return `${called} ${is} running`;
      if (state === 'exited' && exitCode === 0) return `${called} was started and has ended with exit code 0`;
      break;
    case 'stop':
      if (now.pid === null) return `${called} ${is} stopped`;
      break;
    case 'pause':
      if (state === 'paused') return `${called} ${is} paused`;
      break;
    case 'resume':
      if (isUp) return `${called} ${is} running`;
      break;
  }
  const ended = state === 'exited' && exitCode !== null ? ` with exit code ${exitCode}` : '';
  throw new ServiceError('failed', `The engine took the order, but ${called} is ${state}${ended}`);
}

function refusal(error: unknown, subject: string): unknown {
  if (!(error instanceof EngineError)) return error;
  const code = error.status === 404 ? 'not_found' : error.status === 409 ? 'conflict' : 'failed';
  return new ServiceError(code, `${subject}: ${error.message}`, { cause: error });
}
