import {
  acceptedContent,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { randomBytes, sha256 } from '../../lib/digest.ts';
import { ServiceError } from '../../lib/errors.ts';

/** A permission prompt that the client shows and answers in a second call. The answer proves nothing: see consent.ts. */
export interface ClientQuestions {
  passOn(asked: AskedOfClient): Promise<InputRequiredResult>;
  /** null: this call is not an answer. Throws if it answers another prompt, or one that was answered before. */
  answer(asked: AskedOfClient): boolean | null;
  /** Verifies what a client returns, before it is parsed. */
  verify: RequestStateCodec<Sealed>['verify'];
}

export interface AskedOfClient {
  tool: string;
  given: unknown;
  question: string;
  context: ServerContext;
}

/** What a prompt was about: valid for that call with that token, once. */
export interface Sealed {
  tool: string;
  given: string;
  once: string;
}

export const validMs = 120_000;
/** Upper bound of remembered answers, above any real use. */
const maxUsed = 10_000;

export function createClientQuestions(monotonic: () => number): ClientQuestions {
  const used = new Map<string, number>();
  const codec = createRequestStateCodec<Sealed>({
    key: randomBytes(32),
    ttlSeconds: validMs / 1000,
    bind: ({ mcpReq, http }) => `${mcpReq.method} ${http?.authInfo?.clientId}`,
  });

  const spend = (once: string): boolean => {
    const now = monotonic();
    for (const [old, at] of used) if (now - at > validMs || used.size >= maxUsed) used.delete(old);
    if (used.has(once)) return false;
    used.set(once, now);
    return true;
  };

  return {
    verify: codec.verify,
    async passOn(asked) {
      const sealed: Sealed = { tool: asked.tool, given: digest(asked), once: randomBytes(12).toString('base64url') };
      return inputRequired({
        inputRequests: { [answerKey]: inputRequired.elicit({ message: asked.question, requestedSchema: allowOrNot }) },
        requestState: await codec.mint(sealed, asked.context),
      });
    },
    answer(asked) {
      const { mcpReq } = asked.context;
      const sealed = mcpReq.requestState<Sealed>();
      if (sealed === undefined) return null;
      if (sealed.tool !== asked.tool || sealed.given !== digest(asked) || !spend(sealed.once)) {
        throw new ServiceError(
          'forbidden',
          'This consent was given for another call, or has already been used: call again without it',
        );
      }
      return acceptedContent<{ allow?: unknown }>(mcpReq.inputResponses, answerKey)?.allow === true;
    },
  };
}

const answerKey = 'consent';

const allowOrNot = {
  type: 'object' as const,
  properties: { allow: { type: 'boolean' as const, title: 'Allow', default: false } },
  required: ['allow'],
};

/** Includes the text of the prompt: what the same arguments refer to may have changed. */
const digest = ({ given, question }: AskedOfClient) =>
  sha256(JSON.stringify([sorted(given) ?? null, question])).toString('base64url');

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
