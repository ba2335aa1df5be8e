import { metaIn } from './envelope.ts';
import { type EventStream, openEventStream, type StreamParts } from './event-stream.ts';
import type { InputRequired } from './input-required.ts';
import {
  codes,
  errorMessage,
  type Params,
  type RequestMessage,
  resultMessage,
  rpcResponse,
  toMcpError,
} from './messages.ts';
import { type McpClient, type McpServer, methodNotFound, perform } from './server.ts';
import { isObject } from './shape.ts';
import { metaKeys, newerVersion } from './versions.ts';

/** One request of the newer protocol. */
export interface Exchange {
  /** Calls the method. The response is empty, with status 499, if the exchange was closed before there was anything to send. */
  answer(): Promise<Response>;
  /** Cancels the request and ends its response. */
  close(): void;
}

/** `ended` is called once, when the response is complete or was given up. */
export function createExchange(
  server: McpServer,
  message: RequestMessage,
  { signal }: Pick<Request, 'signal'>,
  parts: StreamParts,
  ended: () => void,
): Exchange {
  const { id, method } = message;
  const response = Promise.withResolvers<Response>();
  const control = new AbortController();
  let stream: EventStream | null = null;
  let isOpen = true;

  const end = () => {
    if (!isOpen) return;
    isOpen = false;
    signal.removeEventListener('abort', close);
    stream?.close();
    ended();
  };
  const close = () => {
    if (!isOpen) return;
    end();
    control.abort(new Error('Connection closed'));
    response.resolve(new Response(null, { status: 499 }));
  };
  /** The last message. */
  const finish = (status: number, answer: object) => {
    if (!isOpen) return;
    if (stream === null) response.resolve(rpcResponse(status, answer));
    else stream.send(answer);
    end();
  };
  const notify = (name: string, params: Params) => {
    if (!isOpen) return;
    if (stream === null) {
      stream = openEventStream(parts, {}, close);
      response.resolve(stream.response);
    }
    stream.send({ jsonrpc: '2.0', method: name, params });
  };
  const run = async () => {
    try {
      if (!methods.has(method)) throw methodNotFound();
      const client = clientIn(message);
      const request = { version: newerVersion, client, signal: control.signal, notify, ask: noRequests };
      const result = method === 'server/discover' ? discovery(server) : await perform(server, message, request);
      finish(200, resultMessage(id, complete(server, method, result)));
    } catch (error) {
      const known = toMcpError(error);
      finish(statuses.get(known.code) ?? 200, errorMessage(id, known));
    }
  };

  return {
    answer() {
      if (signal.aborted) close();
      else {
        signal.addEventListener('abort', close);
        void run();
      }
      return response.promise;
    },
    close,
  };
}

/** Errors in the request itself have a status; those of a method are results of the transport. */
const statuses: ReadonlyMap<number, number> = new Map([
  [codes.methodNotFound, 404],
  [codes.missingCapability, 400],
]);

/** Others belong to the older protocol, or are served elsewhere. */
const methods = new Set([
  'tools/call',
  'tools/list',
  'prompts/get',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'completion/complete',
  'server/discover',
]);

const cacheable = new Set([...methods].filter((method) => !/call|get|complete/.test(method)));

const noRequests = async () => {
  throw new Error('The protocol 2026-07-28 has no requests of the server');
};

function clientIn({ params }: RequestMessage): McpClient {
  const meta = metaIn(params) ?? {};
  const info = meta[metaKeys.client];
  const capabilities = meta[metaKeys.capabilities];
  return { info: isObject(info) ? info : null, capabilities: isObject(capabilities) ? capabilities : {} };
}

const discovery = ({ capabilities, instructions }: McpServer): Params => ({
  supportedVersions: [newerVersion],
  capabilities,
  ...saidBy(instructions()),
});

/** Instructions are left out where there are none. */
export const saidBy = (instructions: string) => (instructions === '' ? {} : { instructions });

/** The fields that every result of the newer protocol has. */
function complete({ info, ttlMs = {} }: McpServer, method: string, result: Params | InputRequired): Params {
  const whole: Params = 'resultType' in result ? { ...result } : { ...result, resultType: 'complete' };
  if (whole.resultType === 'complete' && cacheable.has(method)) {
    whole.ttlMs ??= ttlMs[method] ?? 0;
    whole.cacheScope ??= 'private';
  }
  whole._meta = { ...(isObject(whole._meta) ? whole._meta : {}), [metaKeys.server]: info };
  return whole;
}
