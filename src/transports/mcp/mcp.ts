import { budgets } from '../../access/limits/budgets.ts';
import { isLocal, isLoopback } from '../../core/caller.ts';
import type { HttpRequest } from '../../core/route-table.ts';
import type { Service } from '../../core/service.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { createBuckets } from '../../lib/token-buckets.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { readJson } from '../http/body.ts';
import { secretsOf } from '../http/request.ts';
import { refusalOf } from '../http/respond.ts';
import type { Endpoint } from './endpoint.ts';
import { rpcProblem } from './mcp.errors.ts';

/** The door for agents: who may come in. What is behind it is loaded when the first one does. */
export interface Mcp {
  answer(request: HttpRequest): Promise<Response>;
  settingsChanged(): void;
  close(): Promise<void>;
}

export interface McpParts {
  service: Pick<Service, 'authorize' | 'admits' | 'requireAdmitted' | 'onTokensChange'>;
  settings(): Settings;
  log: Log;
  monotonic(): number;
  after(ms: number, callback: () => void): () => void;
  /** Made for the first one who is let in. `lasting` is to be told how much of what was begun goes on. */
  load(lasting: (count: number) => void): Promise<Endpoint>;
}

/** Calls that follow each other share one watch on the tokens. */
const followForMs = 5000;

export function createMcp({ service, settings, log, monotonic, after, load }: McpParts): Mcp {
  const messages = createBuckets(budgets.caller.messages, monotonic);
  const allMessages = createBuckets(budgets.all.messages, monotonic);
  let loading: Promise<Endpoint> | null = null;
  let stopFollowing: (() => void) | null = null;
  let cancelStop = () => {};

  /** While nothing lasts, a token that was revoked is found out by the next request. */
  const lasting = (count: number) => {
    cancelStop();
    if (count === 0) cancelStop = after(followForMs, stop);
    else stopFollowing ??= service.onTokensChange(() => void withEndpoint(({ admit }) => admit(service.admits)));
  };

  const stop = () => {
    cancelStop();
    stopFollowing?.();
    stopFollowing = null;
  };

  const loaded = () => {
    loading ??= load(lasting);
    return loading;
  };

  const withEndpoint = async (work: (endpoint: Endpoint) => void | Promise<void>) => {
    if (loading !== null) await work(await loading);
  };

  return {
    async answer(request) {
      try {
        const everywhere = settings().mcp.allowRemote;
        // What the connection says by itself costs nothing; the kernel is asked for those with a token only.
        const { address, forwarded } = request.connection();
        if (!everywhere && (forwarded || !isLoopback(address))) throw elsewhere();
        const caller = service.authorize(secretsOf(request.headers), request.connection, 'agent');
        const waitSeconds = messages.refuse(caller.tokenId) ?? allMessages.refuse('');
        if (waitSeconds !== null) throw tooMany(waitSeconds);
        if (!everywhere && !(await isLocal(caller))) throw elsewhere();
        const body = request.method === 'POST' ? await readMessage(request.raw) : undefined;
        service.requireAdmitted(caller);
        // Somebody may have to be asked first, and streams may be silent. What is sent to us may not.
        request.unhurried();
        return await (await loaded()).answer(request.raw, body, caller);
      } catch (thrown) {
        const { status, message, headers } = refusalOf(thrown, log);
        return rpcProblem(status, status === 400 ? -32_700 : -32_000, message, headers);
      }
    },
    settingsChanged: () => void withEndpoint(({ toolsChanged }) => toolsChanged()),
    async close() {
      await withEndpoint(({ close }) => close());
      stop();
    },
  };
}

async function readMessage(request: Request): Promise<unknown> {
  const body = await readJson(request);
  if (body === undefined) throw new ServiceError('invalid', 'A message is needed as the body, in JSON');
  if (isDeeper(body, maxDepth)) throw new ServiceError('invalid', 'The message is nested too deeply');
  return body;
}

/** No message is nested anywhere near this deep, and what looks into it later calls itself. */
const maxDepth = 64;

function isDeeper(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return left === 0 || Object.values(value).some((inner) => isDeeper(inner, left - 1));
}

const tooMany = (waitSeconds: number) =>
  new ServiceError('rate_limited', 'Too many messages with this token; try again in a moment', {
    retryAfterSeconds: Math.ceil(waitSeconds),
  });

const elsewhere = () =>
  new ServiceError(
    'forbidden',
    'Agents are served on this machine only, as the user whose service this is; the setting mcp.allowRemote lets others come as well',
  );
