import type { InputRequired } from '@hostler/mcp/input-required.ts';
import type { McpRequest } from '@hostler/mcp/server.ts';
import type { AuditEntry } from '../../access/audit/audit.records.ts';
import type { Audit, AuditKind } from '../../access/audit/audit.ts';
import type { Given } from '../../core/agent.ts';
import type { Caller } from '../../core/caller.ts';
import { createPlaces } from '../../core/places.ts';
import { requireScope } from '../../core/require-scope.ts';
import type { ToolContext } from '../../core/tool.ts';
import { ServiceError, toServiceError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { withoutSecrets } from '../../lib/mask-url.ts';
import { isObject } from '../../lib/values.ts';
import type { CallLimits } from './calls.limits.ts';
import { safeLine, sanitise } from './calls.sanitise.ts';
import { denseText } from './calls.text.ts';
import { type Consent, promptText } from './consent.ts';
import type { Decided } from './consent.user-prompt.ts';
import type { OfferedTool, ToolResult } from './server.catalogue.ts';

/** One tool call, from the agent's arguments to its result. */
export interface ToolCall {
  tool: OfferedTool;
  words: unknown;
  caller: Caller;
  client: string;
  canElicit: boolean;
  request: McpRequest;
}

/** The result of a tool; agents read errors of tools as results. */
export type CallToolResult = {
  content: ({ type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string })[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
};

export interface CallParts {
  limits: CallLimits;
  consent: Pick<Consent, 'ask' | 'knows'>;
  audit: Audit;
  log: Log;
  /** Everything that is not specific to one call, in the view of this caller. */
  machine(caller: Caller): Omit<ToolContext, 'signal' | 'progress'>;
}

/** Calls that run at once, half of them for a token. A call may wait for a minute. */
const mostRunning = 64;
/** Agents pay per token of output. */
const maxResultBytes = 40_000;
/** In base64; the largest image that models accept. */
const maxPictureLength = 5 * 1024 * 1024;

export function createCalls({ limits, consent, audit, log, machine }: CallParts) {
  const running = createPlaces(mostRunning, 'Too many calls are running; wait for one to end');
  /** Never throws: an error is a result with a remedy. */
  return async (call: ToolCall): Promise<CallToolResult | InputRequired> => {
    const { tool, caller, client, request, words } = call;
    const { name } = tool.definition;
    /** Changes once something is about to change: an earlier refusal is recorded with the reads. */
    let kind: AuditKind = 'reading';
    let agreed: Pick<AuditEntry, 'agreed' | 'answered_by'> = {};
    const note = (decision: string, said: unknown = loggable(words, tool)) =>
      audit({ client, token: caller.tokenName, tool: name, arguments: said, decision, ...agreed }, kind);
    /** The call itself has returned. */
    const noteUnattended = (verdict: Decided) => {
      kind = 'consent';
      agreed = agreementOf(verdict);
      note('refused' in verdict ? `forbidden: ${safeLine(verdict.refused.message)}` : 'allowed');
    };
    let understood = false;
    let isAdmitted = false;
    try {
      // A response to a prompt is the second half of a call; without a prompt it is ignored.
      const isResponse = tool.prompt !== null && request.state !== undefined;
      refuseTooMany(caller, limits);
      requireScope(caller, ...tool.scopes);
      const given = await tool.check(words);
      understood = true;
      const blocked = tool.blocked(given);
      // Checked before the permission prompt: it would be refused anyway.
      if (blocked !== null) throw new ServiceError('conflict', blocked);
      const prompt = promptOf(tool, given);
      const wanted = prompt === null ? null : { ...call, tool: name, given, prompt, unattended: noteUnattended };
      // The same call, made again for the answer of the user, does not count as another one.
      const isRepeated = wanted !== null && consent.knows(wanted);
      if (!isResponse && !isRepeated) refuseTooSoon(call, limits);
      isAdmitted = true;
      if (wanted !== null) {
        const verdict = await consent.ask(wanted);
        if ('pending' in verdict) {
          if (!isRepeated) note('pending');
          return toProblem(verdict.pending);
        }
        if ('passedOn' in verdict) {
          note('the client has to ask the user');
          return verdict.passedOn;
        }
        kind = 'consent';
        agreed = agreementOf(verdict);
        if ('refused' in verdict) throw verdict.refused;
        refuseChanged(tool, given, wanted.prompt);
        // Recorded before the action: it may end this service.
        note('started');
      } else if (!tool.readOnly) kind = 'acting';
      const answer = await running.run(caller.tokenId, () =>
        beforeDeadline(tool, request, (signal) =>
          tool.run(given, caller, { ...machine(caller), signal, progress: progressOf(request) }),
        ),
      );
      const result = toResult(tool, answer);
      note('done');
      return result;
    } catch (thrown) {
      const error = toServiceError(thrown);
      if (!(thrown instanceof ServiceError)) log.error(`mcp: ${name} failed unexpectedly`, thrown);
      // These come at any rate and are not recorded individually.
      if (error.code === 'rate_limited' && !isAdmitted) return toProblem(error);
      // Nothing happened, and repetitions must not displace real actions in the audit log.
      if (error.code === 'rate_limited' && kind === 'acting') kind = 'reading';
      // Messages quote the arguments, including those that must not be recorded.
      const decision = tool.unlogged.size > 0 ? error.code : `${error.code}: ${safeLine(error.message)}`;
      if (understood) note(decision);
      else note(decision, withoutSecretsIn(loggable(words, tool, true)));
      return toProblem(error);
    }
  };
}

const agreementOf = (verdict: Decided): Pick<AuditEntry, 'agreed' | 'answered_by'> => ({
  agreed: 'agreed' in verdict ? verdict.agreed : 'nobody',
  ...(verdict.by !== undefined && { answered_by: verdict.by }),
});

/** null: the call needs none. */
function promptOf({ definition, prompt }: OfferedTool, given: Given): string | null {
  const text = prompt?.(given) ?? null;
  return text === null ? null : promptText(definition.name, text);
}

/** What the arguments refer to, such as the program of a command, may have changed while the prompt was shown. */
function refuseChanged(tool: OfferedTool, given: Given, asked: string): void {
  if (promptOf(tool, given) === asked) return;
  throw new ServiceError(
    'conflict',
    `What ${tool.definition.name} would do was changed in the settings while the user was asked: call it again`,
  );
}

function toProblem({ message, retryAfterSeconds }: ServiceError): CallToolResult {
  const wait = retryAfterSeconds === null ? '' : ` Try again in ${retryAfterSeconds} s.`;
  return { content: [{ type: 'text', text: `${safeLine(message)}${wait}` }], isError: true };
}

function refuseTooMany({ tokenId }: Caller, limits: CallLimits): void {
  const wait = limits.refuse(tokenId);
  if (wait === null) return;
  throw new ServiceError('rate_limited', 'Too many calls: at most 10 per second.', { retryAfterSeconds: wait });
}

function refuseTooSoon({ tool, caller }: ToolCall, limits: CallLimits): void {
  if (tool.everyMs === null) return;
  const pause = limits.refuseTool(caller.tokenId, tool.definition.name, tool.everyMs);
  if (pause === null) return;
  throw new ServiceError('rate_limited', `${tool.definition.name} can be called once every ${tool.everyMs / 1000} s.`, {
    retryAfterSeconds: pause,
  });
}

/** The work continues until it handles the cancellation; the agent does not wait for that. */
async function beforeDeadline<T>(
  { definition, deadlineMs }: OfferedTool,
  { signal: cancelled }: McpRequest,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), deadlineMs);
  const signal = AbortSignal.any([cancelled, late.signal]);
  const ended = Promise.withResolvers<never>();
  const end = () => {
    const sentence = late.signal.aborted
      ? `${definition.name} did not finish within ${deadlineMs / 1000} s; it may still happen`
      : `${definition.name} was cancelled`;
    ended.reject(new ServiceError('failed', sentence));
  };
  signal.addEventListener('abort', end);
  try {
    // The client disconnected after the user's decision: do not run.
    if (signal.aborted) throw new ServiceError('failed', `${definition.name} was cancelled`);
    return await Promise.race([work(signal), ended.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

function toResult({ definition, longTexts }: OfferedTool, { said, picture }: ToolResult): CallToolResult {
  const safe = sanitise(said, { longTexts });
  const structuredContent = typeof safe === 'object' && safe !== null ? { ...safe } : {};
  if (Buffer.byteLength(JSON.stringify(structuredContent)) > maxResultBytes) {
    throw new ServiceError(
      'too_large',
      `The answer of ${definition.name} is too long: ask for less with limit or fields`,
    );
  }
  // Some clients show only one of the two.
  const text = { type: 'text', text: denseText(structuredContent) } as const;
  if (picture === null) return { content: [text], structuredContent };
  if (picture.base64.length > maxPictureLength)
    throw new ServiceError('too_large', `The picture of ${definition.name} is larger than agents can be shown`);
  const image = { type: 'image', data: picture.base64, mimeType: picture.type } as const;
  return { content: [image, text], structuredContent };
}

function progressOf({ meta, notify }: McpRequest): ToolContext['progress'] {
  const { progressToken } = meta;
  return (done, total, message) => {
    if (progressToken === undefined) return;
    notify('notifications/progress', { progressToken, progress: done, total, message });
  };
}

const maxLogged = 500;

const notRecorded = '(not recorded)';

/** `isUnchecked`: the schema has not checked the names, so what no log may contain can be under any of them. */
function loggable(words: unknown, { unlogged, definition }: OfferedTool, isUnchecked = false): unknown {
  if (!isObject(words)) return null;
  const known = isObject(definition.inputSchema.properties) ? definition.inputSchema.properties : {};
  return Object.fromEntries(
    Object.entries(words)
      .slice(0, 20)
      .map(([key, value]) => {
        const isStray = isUnchecked && unlogged.size > 0 && !Object.hasOwn(known, key);
        if (unlogged.has(key) || isStray) return [safeLine(key, 64), notRecorded];
        const text = JSON.stringify(sanitise(value)) ?? 'null';
        return [safeLine(key, 64), text.length > maxLogged ? `${text.slice(0, maxLogged)}…` : sanitise(value)];
      }),
  );
}

const secretName = /pass(word|wd|phrase)|secret|token|credential|authorization|api.?key/i;

/** For arguments that no schema has checked. */
function withoutSecretsIn(value: unknown): unknown {
  if (typeof value === 'string') return withoutSecrets(value);
  if (Array.isArray(value)) return value.map(withoutSecretsIn);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, secretName.test(key) ? notRecorded : withoutSecretsIn(inner)]),
  );
}
