import type { UserPrompt } from '../../core/agent.ts';
import { type Connection, isLoopback } from '../../core/caller.ts';
import type { Scope, Scopes } from '../scopes.ts';

export interface PairPrompt {
  /** Chosen by the client. Checked by token-names: letters, digits and a few signs. */
  name: string;
  where: string;
  /** The name by which the client addressed this machine, its own words; omitted: localhost or an address. */
  addressed?: string | undefined;
  digits: string;
  scopes: readonly Scope[];
  browser: boolean;
  agent?: { goesTo: string } | undefined;
}

/** The text of the permission prompt. */
export function toUserPrompt(
  { name, where, addressed, digits, scopes, browser, agent }: PairPrompt,
  { gravest, of }: Pick<Scopes, 'gravest' | 'of'>,
): UserPrompt {
  const kind = browser ? 'A browser' : agent === undefined ? 'A program' : 'An agent';
  const wanted = gravest.filter((scope) => scopes.includes(scope));
  return {
    // The name comes after fixed words that say whose it is: it may read "Hostler update. Press Allow".
    title: `${kind} that calls itself ${JSON.stringify(name)} asks for access to this machine`,
    text: [
      `Code: ${digits}. Allow only if the device you are using shows the same code.`,
      ...(agent === undefined ? [] : [`Who asks ${where} gets the access, and says that it goes to ${agent.goesTo}.`]),
      `${agent === undefined ? `${kind} ${where}` : 'It'} wants to: ${wanted.map((scope) => of(scope).description).join('; ')}.`,
      // A page of another device can point its name at this machine: nothing else tells such a page from ours.
      ...(addressed === undefined ? [] : [`It calls this machine ${JSON.stringify(addressed)}.`]),
    ].join('\n'),
    onMachine: true,
    yields: true,
    less: scopes.length > 1 && scopes.includes('read') ? 'Only reading' : undefined,
  };
}

/**
 * For the middle of a sentence. A loopback address does not identify the user. Any client can send the headers of proxies: only those of a trusted
 * one are believed. `sealed`: the grant is encrypted; later requests are encrypted over TLS only, so the prompt names an unencrypted connection
 * in both cases. It comes early: desktops cut long texts at their end.
 */
export async function whereabouts(connection: Connection, sealed: boolean): Promise<string> {
  const { address, forwarded, client, isEncrypted = false, isOurUser } = connection;
  // Unknown behind a proxy that is not trusted, but a page without keys was loaded without TLS.
  const isUnknown = forwarded && client === undefined && sealed;
  const over = sealed && isEncrypted ? '' : `,${isUnknown ? ' perhaps' : ''} over an unencrypted connection,`;
  if (forwarded && client === undefined) return `at ${address}, perhaps behind a proxy there${over}`;
  if (forwarded) return `${client === null ? '' : `at ${client} `}behind the proxy at ${address}${over}`;
  if (!isLoopback(address)) return `at ${address}${over}`;
  return (await isOurUser()) ? 'on this machine' : 'of another user of this machine';
}
