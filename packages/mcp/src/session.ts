import { collectEvents, type EventStream, type Events, openEventStream, type StreamParts } from './event-stream.ts';
import { saidBy } from './exchange.ts';
import { fulfil, isInputRequired } from './input-required.ts';
import { maxBatch } from './limits.ts';
import {
  codes,
  errorMessage,
  type Id,
  McpError,
  type Message,
  notificationMessage,
  type Params,
  type RequestMessage,
  refusal,
  resultMessage,
  toMcpError,
} from './messages.ts';
import { isInitialize } from './route.ts';
import { type McpClient, type McpRequest, type McpServer, perform, requireParams } from './server.ts';
import { type ClientRequests, createClientRequests } from './session.requests.ts';
import { isObject } from './shape.ts';
import { olderVersions } from './versions.ts';

export interface SessionParts extends StreamParts {
  id: string;
  server: McpServer;
  /** How long the client may take to respond to a request. */
  responseWithinMs: number;
  /** Called when the client opens and closes its update stream. */
  streaming(open: boolean): void;
  /** Called once. */
  closed(): void;
}

export type McpSession = ReturnType<typeof createSession>;

/** A session of the older protocol. Its first request is `initialize`. */
export function createSession(parts: SessionParts) {
  const state: State = {
    parts,
    client: null,
    version: olderVersions[0] ?? '',
    isClosed: false,
    updates: null,
    streams: new Set(),
    running: new Map(),
    requests: createClientRequests(parts),
  };
  return {
    /** The messages are those of the request; GET and DELETE have none. */
    async answer(request: Request, messages: readonly Message[]): Promise<Response> {
      if (state.isClosed) return refusal(404, new McpError(codes.noSession, 'Session not found'));
      if (request.method === 'GET') return openUpdates(state, request);
      if (request.method === 'DELETE') return end(state, request);
      return await receive(state, request, messages);
    },
    /** Sends on the update stream, if the client holds one. */
    notify: (method: string, params?: Params) => state.updates?.send(notificationMessage(method, params)),
    client: () => state.client ?? noClient,
    /** Ends the update stream; the client may open another one. */
    closeUpdates: () => state.updates?.close(),
    close: () => close(state),
  };
}

interface State {
  parts: SessionParts;
  /** null: before `initialize`. */
  client: McpClient | null;
  version: string;
  isClosed: boolean;
  updates: EventStream | null;
  streams: Set<Events>;
  running: Map<Id, AbortController>;
  requests: ClientRequests;
}

const noClient: McpClient = { info: null, capabilities: {} };

async function receive(state: State, request: Request, messages: readonly Message[]): Promise<Response> {
  const refused = refusedPost(state, request, messages);
  if (refused !== null) return refused;
  for (const message of messages) {
    if (message.kind === 'response') state.requests.settle(message);
    if (message.kind === 'notification' && message.method === 'notifications/cancelled') cancel(state, message.params);
  }
  const requests = messages.filter((message) => message.kind === 'request');
  if (requests.length === 0) return new Response(null, { status: 202 });
  const events = collectEvents(state.parts, headersOf(state), () => state.streams.delete(events));
  state.streams.add(events);
  let open = requests.length;
  for (const each of requests) {
    void serve(state, each, events).finally(() => {
      open -= 1;
      if (open === 0) events.close();
    });
  }
  return await events.response;
}

function refusedPost(state: State, request: Request, messages: readonly Message[]): Response | null {
  const accepted = request.headers.get('accept') ?? '';
  if (!accepted.includes('application/json') || !accepted.includes('text/event-stream'))
    return refuse(406, 'Not Acceptable: Client must accept both application/json and text/event-stream');
  if (messages.length > maxBatch)
    return refuse(400, `Invalid Request: Batch must not exceed ${maxBatch} messages`, codes.invalidRequest);
  if (!messages.some(isInitialize)) return refusedVersion(request);
  return state.client === null
    ? null
    : refuse(400, 'Invalid Request: Server already initialized', codes.invalidRequest);
}

const refuse = (status: number, message: string, code: number = codes.server) =>
  refusal(status, new McpError(code, message));

function refusedVersion({ headers }: Request): Response | null {
  const version = headers.get('mcp-protocol-version');
  if (version === null || olderVersions.includes(version)) return null;
  return refuse(
    400,
    `Bad Request: Unsupported protocol version: ${version} (supported versions: ${olderVersions.join(', ')})`,
  );
}

function openUpdates(state: State, request: Request): Response {
  if (request.headers.get('accept')?.includes('text/event-stream') !== true)
    return refuse(406, 'Not Acceptable: Client must accept text/event-stream');
  const refused = refusedVersion(request);
  if (refused !== null) return refused;
  if (state.updates !== null) return refuse(409, 'Conflict: Only one SSE stream is allowed per session');
  const stream = openEventStream(state.parts, headersOf(state), () => {
    request.signal.removeEventListener('abort', stream.close);
    state.updates = null;
    state.parts.streaming(false);
  });
  request.signal.addEventListener('abort', stream.close);
  state.updates = stream;
  state.parts.streaming(true);
  return stream.response;
}

const headersOf = ({ parts }: State) => ({ 'mcp-session-id': parts.id });

function end(state: State, request: Request): Response {
  const refused = refusedVersion(request);
  if (refused !== null) return refused;
  close(state);
  return new Response(null, { status: 200 });
}

function close(state: State): void {
  if (state.isClosed) return;
  state.isClosed = true;
  const gone = new Error('Connection closed');
  for (const stream of [...state.streams]) stream.close();
  state.updates?.close();
  state.requests.close(gone);
  for (const control of state.running.values()) control.abort(gone);
  state.parts.closed();
}

/** A cancelled request gets no response. */
async function serve(state: State, message: RequestMessage, events: Events): Promise<void> {
  const control = new AbortController();
  const { id } = message;
  // Otherwise the earlier request could no longer be cancelled.
  if (state.running.has(id))
    return events.send(errorMessage(id, new McpError(codes.invalidRequest, 'A request with this id is still running')));
  state.running.set(id, control);
  try {
    const result = await resultOf(state, message, events, control.signal);
    if (!control.signal.aborted) events.send(resultMessage(id, result));
  } catch (error) {
    if (!control.signal.aborted) events.send(errorMessage(id, toMcpError(error)));
  } finally {
    state.running.delete(id);
  }
}

async function resultOf(state: State, message: RequestMessage, events: Events, signal: AbortSignal): Promise<Params> {
  const { parts, client, version } = state;
  if (message.method === 'ping') return {};
  if (message.method === 'initialize') return initialize(state, message);
  const ask: McpRequest['ask'] = (method, params) => state.requests.send(events, signal, method, params);
  const request = {
    version,
    client: client ?? noClient,
    signal,
    ask,
    notify(method: string, params: Params) {
      events.open();
      events.send(notificationMessage(method, params));
    },
  };
  const result = await perform(parts.server, message, request);
  if (!isInputRequired(result)) return result;
  return await fulfil(result, {
    method: message.method,
    ask,
    again: (inputResponses, requestState) =>
      perform(
        parts.server,
        {
          ...message,
          params: { ...message.params, inputResponses, ...(requestState === undefined ? {} : { requestState }) },
        },
        request,
      ),
  });
}

function initialize(state: State, message: RequestMessage): Params {
  requireParams(message);
  const { protocolVersion, capabilities, clientInfo } = message.params ?? {};
  const { info, capabilities: ours, instructions } = state.parts.server;
  const isKnown = typeof protocolVersion === 'string' && olderVersions.includes(protocolVersion);
  if (isKnown) state.version = protocolVersion;
  state.client = {
    info: isObject(clientInfo) ? clientInfo : null,
    capabilities: isObject(capabilities) ? capabilities : {},
  };
  return { protocolVersion: state.version, capabilities: ours, serverInfo: info, ...saidBy(instructions()) };
}

function cancel(state: State, params: Params = {}): void {
  const { requestId, reason } = params;
  if (typeof requestId !== 'string' && typeof requestId !== 'number') return;
  if (reason === undefined || typeof reason === 'string') state.running.get(requestId)?.abort(new Error(reason));
}
