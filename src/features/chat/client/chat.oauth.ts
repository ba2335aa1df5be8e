import { numberOf, objectOf, textOf } from '@hostler/discord-rpc/values.ts';
import { beginningOf, fetchPlain } from '../../../host/plain-fetch.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { ChatTokens, Credentials } from './chat.credentials.ts';

export type OAuth = ReturnType<typeof createOAuth>;

/** The endpoint refused: a retry with the same data fails too. */
export class OAuthRefusal extends Error {
  override readonly name = 'OAuthRefusal';
}

/** Posts a form; the status and the text of the answer. Never follows a redirect: the form holds a secret. */
export type PostForm = (url: string, form: Record<string, string>) => Promise<{ status: number; text: string }>;

export const defaultOAuthUrl = 'https://discord.com/api/oauth2/token';
const timeoutMs = 10_000;
const largestAnswer = 64 * 1024;

export function createOAuth(post: PostForm, clock: Clock, url: () => string) {
  const ask = async (form: Record<string, string>): Promise<ChatTokens> => {
    const { status, text } = await post(trusted(url()), form);
    if (status >= 400 && status < 500) throw new OAuthRefusal(`the OAuth endpoint refused it (${status})`);
    const tokens = status === 200 ? parseTokenAnswer(text, clock.now()) : null;
    if (tokens === null) throw new Error(`the OAuth endpoint returned no token (${status})`);
    return tokens;
  };
  const common = ({ clientId, clientSecret }: Credentials) => ({ client_id: clientId, client_secret: clientSecret });
  return {
    exchange: (credentials: Credentials, code: string) =>
      ask({ ...common(credentials), grant_type: 'authorization_code', code, redirect_uri: 'http://localhost' }),
    async refresh(credentials: Credentials, refreshToken: string): Promise<ChatTokens> {
      const tokens = await ask({
        ...common(credentials),
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
      });
      return { ...tokens, refresh_token: tokens.refresh_token ?? refreshToken };
    },
  };
}

export function createPostForm(userAgent: string): PostForm {
  return async (url, form) => {
    const response = await fetchPlain(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        'user-agent': userAgent,
      },
      body: new URLSearchParams(form).toString(),
    });
    return { status: response.status, text: new TextDecoder().decode(await beginningOf(response, largestAnswer)) };
  };
}

function parseTokenAnswer(text: string, now: number): ChatTokens | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const { access_token, refresh_token, expires_in } = objectOf(value);
  const access = textOf(access_token);
  if (access === null) return null;
  const lifetime = numberOf(expires_in) ?? 3600;
  return {
    access_token: access,
    refresh_token: textOf(refresh_token),
    expires_at: Math.floor(now / 1000) + Math.max(0, lifetime),
  };
}

/** The client secret is sent there: unencrypted only over loopback. */
function trusted(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  const safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && loopback.test(url.hostname));
  if (safe) return address;
  throw new Error('the OAuth address in the settings is neither https nor on this machine; correct chat.oauthUrl');
}

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;
