import type { BrowserSessions } from '../access/browser-sessions.ts';
import type { FileTickets } from '../access/file-tickets.ts';
import type { Lockout } from '../access/lockout.ts';
import type { LoginCodes } from '../access/login.ts';
import type { Scope } from '../access/scopes.ts';
import type { TokenInfo, TokenKind } from '../access/token-file.ts';
import type { TokenUse, TokenUses } from '../access/token-uses.ts';
import type { Grant, Tokens } from '../access/tokens.ts';
import { ServiceError } from '../lib/errors.ts';
import { ownCommand } from '../lib/own-command.ts';
import { createSparingLines } from '../lib/sparing-lines.ts';
import type { ActionDefinition, ActionParts, ActionResult } from './action.ts';
import type { JoinableAudience } from './audience.ts';
import { type BrowserDesk, createBrowserDesk } from './browser-desk.ts';
import { type Caller, shownAddress } from './caller.ts';
import { type Clients, type ConnectedClient, createClients } from './clients.ts';
import { createControlPause, pauseOf, refuseWhilePaused } from './control-pause.ts';
import { createFileDesk, type FileDesk } from './file-desk.ts';
import type { History } from './history.ts';
import { createKept, type KeptByActions } from './kept.ts';
import type { ModuleDefinition } from './module.ts';
import { parse } from './parse.ts';
import { type Asking, createPermits } from './permits.ts';
import { requireAdminHere, requireScope } from './require-scope.ts';
import type { Store } from './store.ts';

export { hasScope, requireScope } from './require-scope.ts';

/** What transports need, and all they know. */
export interface Service {
  version: string;
  modules: readonly ModuleDefinition[];
  store: Store;
  actions: readonly ActionDefinition[];
  audience: JoinableAudience;
  /** The past of the machine. */
  history: History;
  /**
   * The caller behind the first valid one of these secrets. Throws unauthorized, or rate_limited after too many wrong ones, or
   * forbidden for a token that is good at the door for agents only.
   */
  authorize(secrets: readonly string[], connection: Caller['connection'], door?: TokenKind): Caller;
  /** Whether one of these secrets is good for anything. Wrong ones are not counted. */
  knows(secrets: readonly string[]): boolean;
  /** The name of the token among these secrets; null: none of them is valid. */
  nameOf(secrets: readonly string[]): string | null;
  /** Browsers that sign in, and stay so without a secret. */
  browsers: BrowserDesk;
  /** Addresses of single files for a minute. */
  files: FileDesk;
  /** Whether the token behind a caller is still good; it may have been revoked meanwhile. */
  admits(caller: Caller): boolean;
  /** Calls back when a token was made or revoked, here or by another process; returns the way to stop. */
  onTokensChange(changed: () => void): () => void;
  /**
   * Whoever lacks the scope is refused before anything else: transports do not ask about it themselves. `input` may be a function that reads
   * it, which is not called for them, so that they learn nothing about what it would take.
   */
  perform(action: ActionDefinition, input: unknown, caller: Caller, way?: WayBack): Promise<ActionResult>;
  /** null when the action would work here now, else what is missing. */
  unavailable(action: ActionDefinition): Promise<string | null>;
  /** What actions keep between their runs, for whoever shows it. */
  keep: KeptByActions['keep'];
  /** Why the action is refused for a while; null: control is not paused, or it works all the same. */
  paused(action: ActionDefinition): string | null;
  /** Where transports say who is connected; the list is for callers on this machine. */
  clients: Pick<Clients, 'add'> & { list(caller: Caller): Promise<ConnectedClient[]> };
  /** Ends what actions keep. */
  close(): Promise<void>;
  /** Creating takes no more scopes than the caller has. All of it is for callers on this machine only. */
  tokens: {
    list(caller: Caller): Promise<UsedToken[]>;
    create(name: string, scopes: Scope[], caller: Caller): Promise<{ secret: string; token: TokenInfo }>;
    revoke(idOrName: string, caller: Caller): Promise<TokenInfo>;
  };
}

/** A token, and when it was used last: ISO time, and where from; null: not since this is noted. */
export interface UsedToken extends TokenInfo {
  last_used: string | null;
  last_address: string | null;
}

/** Who waits for an action, as far as its transport knows. */
export interface WayBack extends Asking {
  /** Takes what an action has to say besides its answer. */
  tell?: ((type: string, data: unknown) => void) | undefined;
  /** Takes what became of it later. */
  report?: (type: string, data: unknown) => void;
}

export interface ServiceParts extends Omit<ActionParts, 'read' | 'controlPause'> {
  audience: JoinableAudience;
  version: string;
  modules: readonly ModuleDefinition[];
  store: Store;
  actions: readonly ActionDefinition[];
  tokens: Tokens;
  browsers: BrowserSessions;
  tickets: FileTickets;
  lockout: Lockout;
  login: LoginCodes;
  /** When tokens were used last. */
  uses: TokenUses;
}

/** About wrong tokens, a minute. */
const mostLines = 20;

export function createService({ tokens, browsers, tickets, lockout, login, uses, ...parts }: ServiceParts): Service {
  const { log, host, settings, changeSettings, audience, budgets, history, exit } = parts;
  const controlPause = createControlPause(host, log);
  const clients = createClients();
  const used = (tokenId: string, connection: Caller['connection']) => uses.note(tokenId, () => connection().address);
  const forActions: ActionParts = {
    host,
    log,
    settings,
    changeSettings,
    ...(parts.settingsLocks && { settingsLocks: parts.settingsLocks }),
    audience,
    budgets,
    history,
    controlPause,
    exit,
    read: async (module) => await parts.store.get(module),
  };
  const kept = createKept(forActions);
  // A token, or a browser that signed in with one: both are known by an id, and both can end at any time.
  const valid = (id: string) => tokens.valid(id) || browsers.valid(id);
  const follow = (changed: () => void) => {
    const stops = [tokens.follow(changed), browsers.follow(changed)];
    return () => {
      for (const stop of stops) stop();
    };
  };
  const permits = createPermits({ valid, follow }, host.clock);
  for (const { fromStart } of parts.actions) if (fromStart) kept.keep(fromStart);

  // Anybody can send wrong ones, from as many addresses as he has.
  const wrongSecrets = createSparingLines(
    {
      most: mostLines,
      write: log.info,
      more: (count) => `access: ${count} more wrong tokens or codes in this minute`,
    },
    host.clock,
  );
  const shutOut = createSparingLines(
    {
      most: mostLines,
      write: log.warn,
      more: (count) => `access: too many wrong tokens from ${count} more networks in this minute`,
    },
    host.clock,
  );
  const refuseSecret = (sentence: string, connection: Caller['connection']): never => {
    const { address } = connection();
    const shut = lockout.wrong(address);
    if (shut === null) {
      wrongSecrets.say(() => `access: a wrong token or code from ${shownAddress(address)}`);
      throw new ServiceError('unauthorized', sentence);
    }
    if (shut.justShut) shutOut.say(() => `access: too many wrong tokens from ${shownAddress(address)}`);
    throw new ServiceError(
      'rate_limited',
      'Too many wrong tokens from this address; a valid one is still accepted',
      shut,
    );
  };

  const admits = ({ tokenId }: Pick<Caller, 'tokenId'>) => valid(tokenId);

  const grantOf = (secret: string): Grant | null =>
    secret === '' ? null : (tokens.find(secret) ?? browsers.find(secret));

  return {
    version: parts.version,
    modules: parts.modules,
    store: parts.store,
    actions: parts.actions,
    audience,
    history,
    authorize(secrets, connection, door = 'general') {
      for (const secret of secrets) {
        const token = grantOf(secret);
        if (token === null) continue;
        // Browsers have a list of their own, with the time they were used.
        if (token.kind !== 'browser') used(token.id, connection);
        if (token.kind === 'general' || token.kind === door) return toCaller(token, connection);
        if (token.kind === 'browser' && door === 'general') return toCaller(token, connection);
        if (token.kind === 'browser')
          throw new ServiceError('forbidden', 'What a browser signed in with is not for agents: make them a token');
        throw new ServiceError(
          'forbidden',
          `The token ${JSON.stringify(token.name)} is for agents: it works at /api/mcp and nowhere else`,
        );
      }
      if (secrets.every((secret) => secret === '')) {
        throw new ServiceError(
          'unauthorized',
          `A token is needed, in the header X-API-Token; "${ownCommand('token')}" prints it`,
        );
      }
      return refuseSecret('This token is not valid: it is misspelled, or was revoked or replaced', connection);
    },
    browsers: createBrowserDesk({
      tokens,
      browsers,
      login,
      refuseSecret,
      used,
      log,
      budgets: parts.budgets,
      monotonic: host.clock.monotonic,
    }),
    knows: (secrets) => secrets.some((secret) => grantOf(secret) !== null),
    nameOf: (secrets) => secrets.map(grantOf).find((grant) => grant !== null)?.name ?? null,
    files: createFileDesk(tickets, admits),
    onTokensChange: follow,
    admits,
    async perform(action, input, asker, { tell = () => {}, report, ...asking } = {}) {
      // Where it came from is asked while that is known: whoever asked may be gone before it is done.
      const from = asker.connection();
      const caller: Caller = { ...asker, connection: () => from };
      requireScope(caller, ...action.scopes);
      refuseWhilePaused(controlPause, action);
      const given = typeof input === 'function' ? await input() : input;
      const checked = parse(await action.input(), withoutNulls(given), action.name);
      const permit = permits(caller, asking);
      try {
        const result = await action.run(checked, {
          ...forActions,
          caller,
          tell,
          ...(report !== undefined && { report }),
          keep: kept.keep,
          get signal() {
            return permit.signal;
          },
          get orderSignal() {
            return permit.orderSignal;
          },
        });
        // What interrupts the user is worth remembering, whoever asked for it.
        if (action.effect === 'disrupt')
          history.note('order', `${action.name}, by the token ${quoted(caller.tokenName)}`);
        return result;
      } finally {
        permit.end();
      }
    },
    unavailable: (action) => action.unavailable({ host, log, settings }),
    keep: kept.keep,
    paused: (action) => pauseOf(controlPause, action),
    clients: {
      add: clients.add,
      async list(caller) {
        await requireAdminHere(caller);
        return clients.list();
      },
    },
    async close() {
      wrongSecrets.close();
      shutOut.close();
      uses.close();
      await kept.close();
    },
    tokens: {
      async list(caller) {
        await requireAdminHere(caller);
        return tokens.list().map((token) => ({ ...token, ...lastUse(uses.of(token.id)) }));
      },
      async create(name, scopes, caller) {
        await requireAdminHere(caller);
        for (const scope of scopes) requireScope(caller, scope);
        const created = tokens.create(name, [...new Set(scopes)]);
        log.info(`access: ${caller.tokenName} created the token ${name} with ${scopes.join(', ')}`);
        return created;
      },
      async revoke(idOrName, caller) {
        await requireAdminHere(caller);
        const token = tokens.revoke(idOrName);
        log.info(`access: ${caller.tokenName} revoked the token ${token.name}`);
        return token;
      },
    },
  };
}

const lastUse = (use: TokenUse | null) => ({
  last_used: use === null ? null : new Date(use.at).toISOString(),
  last_address: use?.address || null,
});

const quoted = (name: string) => JSON.stringify(name.slice(0, 64));

/** null means absent; nothing at all means that there is nothing to say. */
function withoutNulls(input: unknown): unknown {
  if (input === null || input === undefined) return {};
  if (typeof input !== 'object' || Array.isArray(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}

function toCaller({ id, name, granted }: Grant, connection: Caller['connection']): Caller {
  return { tokenId: id, tokenName: name, scopes: granted, connection };
}
