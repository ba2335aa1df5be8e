import { createOauth } from '../../src/access/oauth/oauth.ts';
import type { Tokens } from '../../src/access/tokens/tokens.ts';
import { scopes } from '../../src/features/index.ts';
import { sha256 } from '../../src/lib/digest.ts';
import { connectionFrom, pairingMachine } from './pairing.ts';

export const origin = 'http://127.0.0.1:9170';
export const callback = 'http://127.0.0.1:1234/callback';
export const verifier = 'v'.repeat(43);
export const challenge = sha256(verifier).toString('base64url');
export const claim = 'C'.repeat(43);
export const here = '127.0.0.1';

/** A service with its OAuth server, and what a client does with it. */
export function oauthMachine() {
  const parts = pairingMachine();
  let writes = 0;
  const change: Tokens['change'] = (edit) => {
    writes++;
    return parts.tokens.change(edit);
  };
  const log = {
    info: (line: string) => void parts.lines.push(line),
    warn: (line: string) => void parts.lines.push(line),
  };
  const oauth = createOauth({ ...parts, tokens: { ...parts.tokens, change }, scopes, log });
  const register = (metadata: object = {}, address = here) =>
    oauth.register({ client_name: 'Claude Code (local)', redirect_uris: [callback], ...metadata }, address);
  const queryOf = (id: string, more: Record<string, string> = {}) =>
    new URLSearchParams({
      response_type: 'code',
      client_id: id,
      redirect_uri: callback,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state: 'a&b',
      ...more,
    });
  /** The address with the code, after the user agreed. */
  const agreed = async (query: URLSearchParams, decision: 'allowed' | 'less' | 'denied' = 'allowed') => {
    const asked = await oauth.ask(oauth.check(query, origin), connectionFrom(here, true)(), claim);
    parts.prompts.at(-1)?.answer(decision);
    await Bun.sleep(0);
    const { location, refused } = (await oauth.answer(asked.id, claim)) ?? { location: 'none:', refused: null };
    return { asked, location: new URL(location), refused };
  };
  const redeem = (id: string, code: string | null, more: Record<string, string> = {}) =>
    oauth.token(
      new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: id,
        code: code ?? '',
        redirect_uri: callback,
        code_verifier: verifier,
        ...more,
      }),
      here,
      origin,
    );
  const refresh = (id: string, secret: string) =>
    oauth.token(
      new URLSearchParams({ grant_type: 'refresh_token', client_id: id, refresh_token: secret }),
      here,
      origin,
    );
  return { ...parts, oauth, register, queryOf, agreed, redeem, refresh, writes: () => writes };
}

export const codeOf = (call: () => unknown): string | null => {
  try {
    call();
    return null;
  } catch (error) {
    return (error as { code: string }).code;
  }
};
