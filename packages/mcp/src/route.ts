import { claims, envelopeIssue, invalidEnvelope, metaIn, unsupported, withoutEnvelope } from './envelope.ts';
import { mismatch, type NamedInHeaders, namedIn, namesNewer, requireHeaders } from './headers.ts';
import {
  codes,
  type Id,
  McpError,
  type Message,
  messageOf,
  type NotificationMessage,
  type RequestMessage,
  refusal,
} from './messages.ts';
import { initializeShape } from './params.ts';
import { isObject, text } from './shape.ts';
import { isNewer, metaKeys, newerVersion } from './versions.ts';

/** Which protocol a request speaks. The body decides; the headers of the newer protocol must agree with it. */
export type Route =
  | OlderRoute
  | { era: 'newer'; message: RequestMessage | NotificationMessage }
  | { era: 'refused'; response: Response };

export interface OlderRoute {
  era: 'older';
  /** Of GET and DELETE: none. */
  messages: readonly Message[];
  isBatch: boolean;
}

export function routeOf({ method, headers }: Pick<Request, 'method' | 'headers'>, body: unknown): Route {
  if (method !== 'POST') return older([]);
  try {
    if (Array.isArray(body)) return older(batchOf(body), true);
    const message = messageOf(body);
    if (message === null) throw invalid('the request body is not a valid JSON-RPC message');
    if (message.kind === 'response') return older([message]);
    const named = namedIn(headers);
    const isOlder = message.kind === 'request' ? isOlderRequest(message, named) : isOlderNotification(message, named);
    if (isOlder) return older([message]);
    if (message.kind === 'request') requireHeaders(message, named);
    return { era: 'newer', message };
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    return { era: 'refused', response: refusal(400, error, idIn(body)) };
  }
}

const older = (messages: readonly Message[], isBatch = false): OlderRoute => ({ era: 'older', messages, isBatch });

export const isInitialize = (message: Message | undefined): message is RequestMessage =>
  message?.kind === 'request' && message.method === 'initialize' && initializeShape(message.params) === null;

function batchOf(body: readonly unknown[]): Message[] {
  if (body.length === 0) throw invalid('empty JSON-RPC batch');
  return body.map((each) => {
    const params = isObject(each) && isObject(each.params) ? each.params : undefined;
    if (claims(metaIn(params)))
      throw invalid('JSON-RPC batches may not contain requests for protocol revision 2026-07-28 or later');
    const message = messageOf(each);
    if (message === null) throw invalid('JSON-RPC batch contains an invalid message');
    return message;
  });
}

/** Throws if it belongs to the newer protocol and contradicts it. */
function isOlderRequest({ method, params }: RequestMessage, named: NamedInHeaders): boolean {
  const meta = metaIn(params);
  const issue = meta === null ? null : envelopeIssue(meta);
  const version = meta?.[metaKeys.version];
  if (method === 'initialize' && !(typeof version === 'string' && isNewer(version) && issue === null)) {
    if (namesNewer(named))
      throw mismatch(
        named.version,
        'an initialize request (legacy handshake) was sent with a modern MCP-Protocol-Version header',
      );
    if (claims(meta)) throw unsupported(params?.protocolVersion);
    return true;
  }
  if (!claims(meta)) {
    if (!namesNewer(named)) return true;
    throw withoutEnvelope(named.version, meta);
  }
  if (issue !== null) throw invalidEnvelope(issue);
  if (named.version !== null && named.version !== version)
    throw mismatch(
      named.version,
      `the body envelope names protocol version ${version} but the MCP-Protocol-Version header names ${named.version}`,
    );
  if (named.method !== null && named.method !== method)
    throw mismatch(named.method, `the body names method ${method} but the Mcp-Method header names ${named.method}`);
  if (version !== newerVersion) throw unsupported(version);
  return false;
}

function isOlderNotification({ method, params }: NotificationMessage, named: NamedInHeaders): boolean {
  const meta = metaIn(params);
  if (!claims(meta) && !namesNewer(named)) return true;
  const version = claims(meta) ? meta[metaKeys.version] : named.version;
  if (typeof version !== 'string')
    throw invalidEnvelope({ key: metaKeys.version, problem: text(version)?.problem ?? '' });
  if (named.version !== null && named.version !== version)
    throw mismatch(
      named.version,
      `the notification envelope names protocol version ${version} but the MCP-Protocol-Version header names ${named.version}`,
    );
  if (isNewer(version) && named.method !== null && named.method !== method)
    throw mismatch(
      named.method,
      `the notification body names method ${method} but the Mcp-Method header names ${named.method}`,
    );
  if (version !== newerVersion) throw unsupported(version);
  return false;
}

const invalid = (sentence: string) => new McpError(codes.invalidRequest, `Bad Request: ${sentence}`);

/** An error names its request, if the request can be identified. */
function idIn(body: unknown): Id | null {
  if (!isObject(body) || typeof body.method !== 'string') return null;
  const { id } = body;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
