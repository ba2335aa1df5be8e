import {
  acceptedContent,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { AskUser } from '../../core/agent.ts';
import type { Caller } from '../../core/caller.ts';
import { randomBytes, sha256 } from '../../lib/digest.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import type { Settings } from '../../settings/settings.schema.ts';

/** Whether the user wants it. The agent's word is never enough. */
export interface Consent {
  /** Resolves when it was given, or with the question that the client has to pass on. Throws forbidden when it was refused. */
  ask(wanted: Wanted): Promise<InputRequiredResult | null>;
  /** Checks what comes back from a client, before anything looks at it. */
  verify: RequestStateCodec<Sealed>['verify'];
}

export interface Wanted {
  tool: string;
  given: unknown;
  question: string;
  caller: Caller;
  /** Whether the client can pass a question on. */
  canElicit: boolean;
  context: ServerContext;
}

export interface ConsentParts {
  askUser: AskUser;
  settings(): Settings;
  monotonic(): number;
}

/** What a question was about: good for that call with that token, once. */
interface Sealed {
  tool: string;
  given: string;
  once: string;
}

export const validMs = 120_000;
/** Questions under way that are remembered; nobody has as many. */
const maxUsed = 10_000;

export function createConsent({ askUser, settings, monotonic }: ConsentParts): Consent {
  const used = new Map<string, number>();
  const asking = new Set<string>();
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

  /** null: this is no answer to a question of ours. */
  const answered = ({ tool, given, context }: Wanted): boolean | null => {
    const sealed = context.mcpReq.requestState<Sealed>();
    if (sealed === undefined) return null;
    if (sealed.tool !== tool || sealed.given !== digest(given) || !spend(sealed.once)) {
      throw new ServiceError(
        'forbidden',
        'This consent was given for another call, or was used already: call again without it',
      );
    }
    return acceptedContent<{ allow?: unknown }>(context.mcpReq.inputResponses, answerKey)?.allow === true;
  };

  const askHere = async ({ tool, question, caller, context }: Wanted) => {
    if (asking.has(caller.tokenId)) {
      throw new ServiceError('conflict', 'The user is still being asked about an earlier call: wait for that answer');
    }
    asking.add(caller.tokenId);
    const title = `${JSON.stringify(caller.tokenName)} asks for ${tool}`;
    const limit = AbortSignal.any([context.mcpReq.signal, AbortSignal.timeout(validMs)]);
    try {
      return await Promise.race([askUser({ title, text: question }, limit), deniedWhen(limit)]);
    } catch (error) {
      throw new ServiceError(
        'forbidden',
        `The user could not be asked on this machine (${messageOf(error)}), so ${tool} is refused; the setting mcp.trustClientConfirmation would let the agent's own program ask`,
        { cause: error },
      );
    } finally {
      asking.delete(caller.tokenId);
    }
  };

  const passOn = async ({ tool, given, question, context }: Wanted): Promise<InputRequiredResult> => {
    const sealed: Sealed = { tool, given: digest(given), once: randomBytes(12).toString('base64url') };
    return inputRequired({
      inputRequests: { [answerKey]: inputRequired.elicit({ message: question, requestedSchema: allowOrNot }) },
      requestState: await codec.mint(sealed, context),
    });
  };

  return {
    verify: codec.verify,
    async ask(wanted) {
      const answer = answered(wanted);
      if (answer === false) throw refused(wanted.tool);
      if (answer === true) {
        // What the client says counts for a reason that may be gone by now.
        const here = settings().mcp.trustClientConfirmation ? 'allowed' : await askHere(wanted);
        if (here === 'denied') throw refused(wanted.tool);
        return null;
      }
      if (settings().mcp.trustClientConfirmation && wanted.canElicit) return await passOn(wanted);
      const here = await askHere(wanted);
      if (here === 'allowed') return null;
      if (here === 'denied') throw refused(wanted.tool);
      if (wanted.canElicit) return await passOn(wanted);
      throw new ServiceError(
        'forbidden',
        `${wanted.tool} needs the consent of the user: no desktop session here can ask, and this client cannot either. Use a client that supports elicitation; where somebody sits at a desktop, mcp.trustClientConfirmation decides whose question counts`,
      );
    },
  };
}

const answerKey = 'consent';

const allowOrNot = {
  type: 'object' as const,
  properties: { allow: { type: 'boolean' as const, title: 'Allow', default: false } },
  required: ['allow'],
};

const refused = (tool: string) =>
  new ServiceError('forbidden', `The user did not allow ${tool}. Do not try again unless the user asks for it`);

function deniedWhen(signal: AbortSignal): Promise<'denied'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('denied');
    else signal.addEventListener('abort', () => resolve('denied'), { once: true });
  });
}

const digest = (given: unknown) => sha256(JSON.stringify(sorted(given)) ?? '').toString('base64url');

/** The order of keys means nothing: a client may send them in another one the second time. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
