import type { Oauth } from '../access/oauth/oauth.ts';
import { createPairGrants } from '../access/pairing/grants.ts';
import type { Pairing } from '../access/pairing/pairing.ts';
import { createLoginCodes } from '../access/sessions/login-codes.ts';
import { type BrowserSessions, openBrowserSessions } from '../access/sessions/sessions.ts';
import { createSignIn, type SignIn } from '../access/sessions/sign-in.ts';
import { openTokens, type Tokens } from '../access/tokens/tokens.ts';
import type { AskOnScreen } from '../core/agent.ts';
import { loadFor, type PerPlatform } from '../core/platform.ts';
import { createOpenPrompts, type OpenPrompts } from '../core/prompts/open-prompt.ts';
import { scopes } from '../features/index.ts';
import type { Host } from '../host/host.ts';
import { type Lazily, lazily } from '../lib/lazily.ts';
import type { Log } from '../lib/log.ts';
import type { SettingsStore } from '../settings/settings.ts';
import { orExplain } from './directories.ts';

/** Everything that decides who may use the service. */
export interface ServiceAccess {
  tokens: Tokens;
  browsers: BrowserSessions;
  signIn: SignIn;
  prompts: OpenPrompts;
  pairing: Lazily<Pairing>;
  oauth: Lazily<Oauth>;
  close(): void;
}

export async function openAccess(host: Host, log: Log, settings: SettingsStore): Promise<ServiceAccess> {
  const tokens = openTokens(scopes, host, log.warn);
  await orExplain('The token', async () => tokens.first());
  const browsers = openBrowserSessions(scopes, host, tokens, log.warn);
  await orExplain('The list of browsers', async () => browsers.clear());
  const signIn = createSignIn(host, createLoginCodes(host), log.warn);
  const prompts = createOpenPrompts(createAskUser(host), { clock: host.clock, log });
  const pairing = lazily(async () =>
    (await import('../access/pairing/pairing.ts')).createPairing({
      scopes,
      askUser: prompts.ask,
      grant: createPairGrants(tokens, browsers),
      settings: settings.current,
      clock: host.clock,
      log,
    }),
  );
  const oauth = lazily(async () =>
    (await import('../access/oauth/oauth.ts')).createOauth({
      ...{ scopes, tokens, log, clock: host.clock },
      pairing: await pairing(),
    }),
  );
  return {
    tokens,
    browsers,
    signIn,
    prompts,
    pairing,
    oauth,
    close() {
      signIn.close();
      pairing.made()?.close();
    },
  };
}

const platforms: PerPlatform<AskOnScreen> = {
  linux: async () => {
    const { askUserLinux } = await import('./prompts/permission-prompt.linux.ts');
    return (host) => (prompt, signal, answered) => askUserLinux(host, prompt, signal, answered);
  },
  windows: async () => {
    const { askUserWindows } = await import('./prompts/permission-prompt.windows.ts');
    return (host) => (prompt, signal) => askUserWindows(host, prompt, signal);
  },
};

/** Shows prompts to the user at this machine. */
function createAskUser(host: Host): AskOnScreen {
  return async (prompt, signal, answered) => {
    const make = await loadFor(host, platforms);
    if (make === null) throw new Error('permission prompts are not supported on this platform yet');
    return await make()(prompt, signal, answered);
  };
}
