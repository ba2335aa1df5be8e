import type { UserQuestion } from '../../core/agent.ts';
import { type Connection, isLoopback } from '../../core/caller.ts';
import type { Scope, Scopes } from '../scopes.ts';

export interface PairQuestion {
  /** Checked by token-names: letters, digits and a few signs, so it cannot pretend to be words of ours. */
  name: string;
  where: string;
  digits: string;
  scopes: readonly Scope[];
  browser: boolean;
}

/** What the user reads before anybody gets access. */
export function toUserQuestion(
  { name, where, digits, scopes, browser }: PairQuestion,
  { gravest, of }: Pick<Scopes, 'gravest' | 'of'>,
): UserQuestion {
  const kind = browser ? 'A browser' : 'A program';
  const wanted = gravest.filter((scope) => scopes.includes(scope));
  return {
    title: `${JSON.stringify(name)} asks for access to this machine`,
    text: [
      `Code: ${digits}. Allow only if the device you are using shows the same code.`,
      `${kind} ${where} wants to: ${wanted.map((scope) => of(scope).description).join('; ')}.`,
    ].join('\n'),
    less: scopes.length > 1 && scopes.includes('read') ? 'Only reading' : undefined,
  };
}

/**
 * For the middle of a sentence. An address of this machine alone says nothing about who uses it. `sealed`: what is handed over is encrypted; what is
 * sent later is only over TLS, so the user learns in both cases that the connection is not. It comes early: desktops cut long texts at their end.
 */
export async function whereabouts(connection: Connection, sealed: boolean): Promise<string> {
  const { address, forwarded, isEncrypted = false, isOurUser } = connection;
  // Behind a proxy it is unknown, but a page without keys was loaded without TLS.
  const isOpen = !sealed || !(isEncrypted || forwarded);
  const over = isOpen ? ', over an unencrypted connection,' : '';
  if (forwarded) return `behind a proxy at ${address}${over}`;
  if (!isLoopback(address)) return `at ${address}${over}`;
  return (await isOurUser()) ? 'on this machine' : 'of another user of this machine';
}
