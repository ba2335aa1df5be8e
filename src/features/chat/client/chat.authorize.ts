import { type Rpc, RpcRefusal, RpcSilence } from '@hostler/discord-rpc/rpc.ts';
import { objectOf, textOf } from '@hostler/discord-rpc/values.ts';
import { type ChatUser, parseUser } from '@hostler/discord-rpc/voice-state.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { ChatFiles, ChatTokens, Credentials } from './chat.credentials.ts';
import { type OAuth, OAuthRefusal } from './chat.oauth.ts';

export interface AuthorizeParts {
  rpc: Rpc;
  clock: Clock;
  oauth: OAuth;
  files: ChatFiles;
  credentials: Credentials;
  /** Whether a permission prompt may be shown. A one-shot command must not open one. */
  mayAsk: boolean;
  asking(): void;
  /** Whether the set-up is still the one this began with; tokens of another one are not stored. */
  isCurrent(): boolean;
}

/** The user refused, or did not answer. */
export class UserRefusal extends Error {
  override readonly name = 'UserRefusal';
}

/** Time limit of the permission prompt. */
const userMs = 120_000;
/** A token that expires within this time is refreshed first. */
const soonSeconds = 60;

/** The account, once the application has accepted a token: the stored one, a refreshed one, or a newly permitted one. */
export async function authorize(parts: AuthorizeParts): Promise<ChatUser> {
  const stored = await freshTokens(parts);
  if (stored !== null) {
    try {
      return await authenticate(parts.rpc, stored);
    } catch (error) {
      if (!(error instanceof RpcRefusal)) throw error;
    }
  }
  if (!parts.mayAsk) throw new UserRefusal('permission has not been requested yet; the service does so when it runs');
  const tokens = await parts.oauth.exchange(parts.credentials, await askUser(parts));
  store(parts, tokens);
  return await authenticate(parts.rpc, tokens);
}

/** The stored tokens, or refreshed ones. null: none, or no longer valid. */
async function freshTokens(parts: AuthorizeParts): Promise<ChatTokens | null> {
  const { files, oauth, credentials, clock, mayAsk } = parts;
  const tokens = files.tokens();
  if (tokens === null) return null;
  // A one-shot command may end before refreshed tokens are written.
  if (!mayAsk || tokens.expires_at - clock.now() / 1000 > soonSeconds) return tokens;
  if (tokens.refresh_token === null) return null;
  try {
    const refreshed = await oauth.refresh(credentials, tokens.refresh_token);
    store(parts, refreshed);
    return refreshed;
  } catch (error) {
    if (!(error instanceof OAuthRefusal)) throw error;
    files.forgetTokens();
    return null;
  }
}

function store({ files, isCurrent }: AuthorizeParts, tokens: ChatTokens): void {
  if (!isCurrent()) throw new Error('the setup was changed in the meantime');
  files.storeTokens(tokens);
}

async function authenticate(rpc: Rpc, { access_token }: ChatTokens): Promise<ChatUser> {
  return await rpc.request({ cmd: 'AUTHENTICATE', args: { access_token } }, (data) => parseUser(objectOf(data).user));
}

const voiceScopes = ['rpc', 'rpc.voice.read', 'rpc.voice.write', 'identify'];

async function askUser({ rpc, asking, credentials: { clientId } }: AuthorizeParts): Promise<string> {
  const ask = (scopes: string[]) =>
    rpc.request({ cmd: 'AUTHORIZE', args: { client_id: clientId, scopes }, timeoutMs: userMs }, authorizationCodeOf);
  asking();
  try {
    return await ask(voiceScopes).catch((error) => {
      if (error instanceof RpcRefusal && /scope/i.test(error.message)) return ask(['rpc']);
      throw error;
    });
  } catch (error) {
    if (error instanceof RpcSilence) throw new UserRefusal('the permission prompt in the application was not answered');
    if (error instanceof RpcRefusal && !isAboutClient(error))
      throw new UserRefusal(`permission was refused in the application: ${error.message}`);
    throw error;
  }
}

/** The application rejected the client id, and showed no prompt. */
function isAboutClient({ code, message }: RpcRefusal): boolean {
  return code === 4007 || code === 4008 || /invalid_client|client.?id|redirect/i.test(message);
}

function authorizationCodeOf(data: unknown): string {
  const code = textOf(objectOf(data).code);
  if (code === null) throw new Error('it sent no code when permission was given');
  return code;
}
