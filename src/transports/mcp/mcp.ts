import { maxBatch } from '@hostler/mcp/limits.ts';
import { budgets } from '../../access/limits/budgets.ts';
import { type Caller, isLocal, isLoopback } from '../../core/caller.ts';
import type { HttpRequest } from '../../core/route-table.ts';
import type { Service } from '../../core/service.ts';
import type { Clock } from '../../lib/clock.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { createBuckets } from '../../lib/token-buckets.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { readJson } from '../http/body.ts';
import { secretsOf } from '../http/request.ts';
import { refusalOf } from '../http/respond.ts';
import type { Endpoint } from './endpoint.ts';
import { rpcProblem } from './mcp.errors.ts';
import { challengeOf, widerChallengeOf } from './oauth/oauth.address.ts';

/** Authenticates agents. The rest is loaded on the first request. */
export interface Mcp {
  answer(request: HttpRequest): Promise<Response>;
  settingsChanged(): void;
  close(): Promise<void>;
}

export interface McpParts {
  service: Pick<Service, 'authorize' | 'admits' | 'requireAdmitted' | 'onTokensChange'>;
  settings(): Settings;
  log: Log;
  clock: Pick<Clock, 'monotonic' | 'after'>;
  /** Created on the first authenticated request. `lasting` receives the number of open sessions and streams. */
  load(lasting: (count: number) => void): Promise<Endpoint>;
}

/** Consecutive calls share one token watch. */
const followForMs = 5000;

export function createMcp({ service, settings, log, clock, load }: McpParts): Mcp {
  const messages = createBuckets(budgets.caller.messages, clock.monotonic);
  const allMessages = createBuckets(budgets.all.messages, clock.monotonic);
  let loading: Promise<Endpoint> | null = null;
  let stopFollowing: (() => void) | null = null;
  let cancelStop = () => {};

  /** Without open sessions, the next request detects a revoked token. */
  const lasting = (count: number) => {
    cancelStop();
    if (count === 0) cancelStop = clock.after(followForMs, stop);
    else if (stopFollowing === null) {
      stopFollowing = service.onTokensChange(tokensChanged);
      // A revocation since the request was authorised is not announced any more.
      void withEndpoint(({ admit }) => admit(service.admits));
    }
  };

  const tokensChanged = () =>
    void withEndpoint(({ admit, toolsChanged }) => {
      admit(service.admits);
      // A token may have got more scopes.
      toolsChanged();
    });

  const stop = () => {
    cancelStop();
    stopFollowing?.();
    stopFollowing = null;
  };

  const loaded = () => {
    loading ??= load(lasting);
    return loading;
  };

  /** Taken whole from both or refused: many batches that arrive together must not use up more than one token may. */
  const refuseMessages = ({ tokenId }: Pick<Caller, 'tokenId'>, count: number) => {
    const waitSeconds = messages.refuse(tokenId, count) ?? allMessages.refuse('', count);
    if (waitSeconds !== null) throw tooMany(waitSeconds);
  };

  /** A client of OAuth can ask for more scopes itself; null: it need not, or cannot. */
  const stepUp = async (request: HttpRequest, endpoint: Endpoint, body: unknown, caller: Caller) => {
    const { mcp, pairing } = settings();
    if (caller.expiresAt === undefined || !mcp.oauth || !pairing.enabled) return null;
    const missing = await endpoint.missingScope(body, caller);
    if (missing === null) return null;
    return rpcProblem(403, -32_000, `The token ${JSON.stringify(caller.tokenName)} lacks the scope "${missing}"`, {
      'WWW-Authenticate': widerChallengeOf(request, [...caller.scopes, missing]),
    });
  };

  const withEndpoint = async (work: (endpoint: Endpoint) => void | Promise<void>) => {
    if (loading !== null) await work(await loading);
  };

  return {
    async answer(request) {
      try {
        const everywhere = settings().mcp.allowRemote;
        // The address is free; the kernel lookup is done only for requests with a token.
        const { address, forwarded } = request.connection();
        if (!everywhere && (forwarded || !isLoopback(address))) throw elsewhere();
        const caller = service.authorize(secretsOf(request), request.connection, 'agent');
        refuseMessages(caller, 1);
        if (!everywhere && !(await isLocal(caller))) throw elsewhere();
        const body = request.method === 'POST' ? await readMessage(request.raw) : undefined;
        service.requireAdmitted(caller);
        // The messages of a batch count one by one. A longer batch is refused whole.
        if (Array.isArray(body)) refuseMessages(caller, Math.min(body.length, maxBatch) - 1);
        // A permission prompt may come first, and streams may be idle. The upload of a request has a deadline.
        request.unhurried();
        const endpoint = await loaded();
        return (await stepUp(request, endpoint, body, caller)) ?? (await endpoint.answer(request.raw, body, caller));
      } catch (thrown) {
        const { status, message, headers } = refusalOf(thrown, log);
        if (status === 401 && settings().mcp.oauth) headers['WWW-Authenticate'] = challengeOf(request);
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
  if (body === undefined) throw new ServiceError('invalid', 'The body must be a message in JSON');
  return body;
}

const tooMany = (waitSeconds: number) =>
  new ServiceError('rate_limited', 'Too many messages with this token; try again in a moment', {
    retryAfterSeconds: Math.ceil(waitSeconds),
  });

const elsewhere = () =>
  new ServiceError(
    'forbidden',
    'Only agents on this machine that run as the user of this service are served; the setting mcp.allowRemote allows others',
  );
