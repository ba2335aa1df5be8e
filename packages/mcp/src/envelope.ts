import { codes, McpError, type Params } from './messages.ts';
import { envelopeShape } from './params.ts';
import { isObject } from './shape.ts';
import { metaKeys, newerVersion } from './versions.ts';

/** `_meta` of the parameters of a request. */
export function metaIn(params: Params | undefined): Params | null {
  return isObject(params?._meta) ? params._meta : null;
}

/** Whether it claims to belong to the newer protocol, rightly or not. */
export const claims = (meta: Params | null): meta is Params => meta !== null && Object.hasOwn(meta, metaKeys.version);

export interface EnvelopeIssue {
  key: string;
  problem: string;
}

const required = [metaKeys.version, metaKeys.capabilities];

/** null: the envelope is right. */
export function envelopeIssue(meta: Params): EnvelopeIssue | null {
  const [missing] = missingIn(meta);
  if (missing !== undefined) return { key: missing, problem: 'missing' };
  const issue = envelopeShape(meta);
  return issue === null ? null : { key: issue.path.join('.'), problem: issue.problem };
}

const missingIn = (meta: Params) => required.filter((key) => !Object.hasOwn(meta, key));

export const invalidEnvelope = (envelope: EnvelopeIssue) =>
  new McpError(
    codes.invalidParams,
    `Invalid _meta envelope for protocol revision 2026-07-28: ${envelope.key}: ${envelope.problem}`,
    { envelope },
  );

export function withoutEnvelope(version: string | null, meta: Params | null): McpError {
  const missing = meta === null ? ['_meta'] : missingIn(meta);
  return new McpError(
    codes.invalidParams,
    `Invalid params: the MCP-Protocol-Version header names protocol revision ${version}, but the request is missing the required per-request envelope key(s): ${missing.join(', ')}`,
    { envelope: { missing } },
  );
}

export const unsupported = (requested: unknown) =>
  typeof requested === 'string'
    ? new McpError(codes.unsupportedVersion, `Unsupported protocol version: ${requested}`, {
        supported: [newerVersion],
        requested,
      })
    : new McpError(
        codes.unsupportedVersion,
        'Unsupported protocol version: the request did not name a protocol version',
        { supported: [newerVersion] },
      );
