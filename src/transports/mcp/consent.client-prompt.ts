import { acceptedContent, type InputRequired } from '@hostler/mcp/input-required.ts';
import type { McpRequest } from '@hostler/mcp/server.ts';
import type { Caller } from '../../core/caller.ts';
import { hmacSha256, isSame, randomBytes, sha256 } from '../../lib/digest.ts';
import { ServiceError } from '../../lib/errors.ts';
import { isObject } from '../../lib/values.ts';

export interface AskedOfClient {
  tool: string;
  given: unknown;
  prompt: string;
  caller: Caller;
  request: McpRequest;
}

export const validMs = 120_000;
/** Upper bound of remembered answers, above any real use. */
const maxUsed = 10_000;

export type ClientPrompts = ReturnType<typeof createClientPrompts>;

/** A permission prompt that the client shows and answers in a second call. The answer proves nothing: see consent.ts. */
export function createClientPrompts(monotonic: () => number) {
  const used = new Map<string, number>();
  const key = randomBytes(32);

  const spend = (once: unknown): boolean => {
    const now = monotonic();
    for (const [old, at] of used) if (now - at > validMs || used.size >= maxUsed) used.delete(old);
    if (typeof once !== 'string' || used.has(once)) return false;
    used.set(once, now);
    return true;
  };

  /** Valid for one method and one token, neither of which it contains. */
  const sealOf = (body: string, method: string, { tokenId }: Caller) => hmacSha256(key, `${body} ${method} ${tokenId}`);

  return {
    passOn(asked: AskedOfClient): InputRequired {
      const { caller, request } = asked;
      // What the prompt was about: valid for that call, once.
      const once = randomBytes(12).toString('base64url');
      const content = { given: callDigest(asked), once, until: monotonic() + validMs };
      const body = Buffer.from(JSON.stringify(content)).toString('base64url');
      const form = { message: asked.prompt, requestedSchema: allowOrNot, mode: 'form' };
      return {
        resultType: 'input_required',
        inputRequests: { [answerKey]: { method: 'elicitation/create', params: form } },
        requestState: `v1.${body}.${sealOf(body, request.method, caller).toString('base64url')}`,
      };
    },
    /** The content of a state that a client returned. Throws if it was not given out for this method and caller, or has expired. */
    open(state: string, method: string, caller: Caller): unknown {
      const [version, body = '', seal = '', ...more] = state.split('.');
      const isOurs = isSame(sealOf(body, method, caller), Buffer.from(seal, 'base64url'));
      if (version !== 'v1' || more.length > 0 || !isOurs) throw new Error('It is not a state of this service');
      const content: unknown = JSON.parse(Buffer.from(body, 'base64url').toString());
      if (isObject(content) && Number(content.until) > monotonic()) return content;
      throw new Error('It has expired');
    },
    /** null: this call is not an answer. Throws if it answers another prompt, or one that was answered before. */
    answer(asked: AskedOfClient): boolean | null {
      const { state, responses } = asked.request;
      if (state === undefined) return null;
      const isThis = isObject(state) && state.given === callDigest(asked);
      if (!isThis || !spend(state.once)) {
        throw new ServiceError(
          'forbidden',
          'This consent was given for another call, or has already been used: call again without it',
        );
      }
      return acceptedContent(responses[answerKey])?.allow === true;
    },
  };
}

const answerKey = 'consent';

const allowOrNot = {
  type: 'object',
  properties: { allow: { type: 'boolean', title: 'Allow', default: false } },
  required: ['allow'],
};

/** Identifies a call. Includes the text of the prompt: what the same arguments refer to may have changed. */
export const callDigest = ({ tool, given, prompt }: Pick<AskedOfClient, 'tool' | 'given' | 'prompt'>) =>
  sha256(JSON.stringify([tool, sorted(given) ?? null, prompt])).toString('base64url');

/** Key order is irrelevant: a client may send another order the second time. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
