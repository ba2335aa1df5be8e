import { codes, McpError, type RequestMessage } from './messages.ts';
import { isNewer, newerVersion } from './versions.ts';

/** What the headers say about the message. */
export interface NamedInHeaders {
  version: string | null;
  method: string | null;
  name: string | null;
}

export const namedIn = (headers: Headers): NamedInHeaders => ({
  version: headers.get('mcp-protocol-version'),
  method: headers.get('mcp-method'),
  name: headers.get('mcp-name'),
});

export const namesNewer = ({ version }: NamedInHeaders) => version !== null && isNewer(version);

/** The field whose value the header Mcp-Name repeats. */
const nameFields: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

/** Throws unless the headers that the newer protocol requires are there and agree with the message. */
export function requireHeaders(
  { method, params }: RequestMessage,
  { version, method: namedMethod, name }: NamedInHeaders,
): void {
  if (version === null)
    throw mismatch(
      null,
      `the body envelope names protocol version ${newerVersion} but the required MCP-Protocol-Version header is absent`,
    );
  if (namedMethod === null)
    throw mismatch(null, `the body names method ${method} but the required Mcp-Method header is absent`);
  const field = nameFields.get(method);
  if (field === undefined) return;
  const value = params?.[field];
  const inBody = `the body carries params.${field}="${typeof value === 'string' ? value : ''}" but`;
  if (name === null) {
    if (typeof value === 'string') throw mismatch(null, `${inBody} the required Mcp-Name header is absent`);
    return;
  }
  const decoded = decodedName(name);
  if (decoded === null) throw mismatch(name, 'the Mcp-Name header carries an invalid Base64 sentinel value');
  if (typeof value === 'string' && decoded !== value)
    throw mismatch(name, `${inBody} the Mcp-Name header names "${decoded}"`);
}

/** What a header cannot carry is encoded: `=?base64?…?=`. null: not canonical Base64 of UTF-8. */
function decodedName(value: string): string | null {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (encoded === undefined) return value;
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(encoded)) return null;
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

export const mismatch = (header: string | null, body: string) =>
  new McpError(codes.headerMismatch, `Bad Request: the request headers and body disagree: ${body}`, {
    mismatch: { header: header ?? '(missing)', body },
  });
