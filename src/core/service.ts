import type { Lockout } from '../access/limits/lockout.ts';
import type { Scope } from '../access/scopes.ts';
import type { LoginCodes } from '../access/sessions/login-codes.ts';
import type { BrowserSessions } from '../access/sessions/sessions.ts';
import type { FileTickets } from '../access/tokens/file-tickets.ts';
import type { TokenUses } from '../access/tokens/token-uses.ts';
import type { Tokens } from '../access/tokens/tokens.ts';
import type { ActionDefinition, ActionParts, ActionResult } from './action.ts';
import { createActionLooks } from './action-availability.ts';
import { createGate, type Gate } from './authenticator.ts';
import type { Caller } from './caller.ts';
import { type Asking, createPermits } from './cancellation.ts';
import { type Clients, type ConnectedClient, createClients } from './clients.ts';
import { type ControlPause, createControlPause, pauseOf, refuseWhilePaused } from './control-pause.ts';
import { createFileDesk, type FileDesk } from './file-service.ts';
import { parse } from './json/parse.ts';
import type { ModuleDefinition } from './module.ts';
import type { History } from './readings/history.ts';
import { requireAdminHere, requireScope } from './require-scope.ts';
import { type BrowserDesk, createBrowserDesk } from './session-service.ts';
import { createKept, type KeptByActions } from './singletons.ts';
import type { Store } from './store.ts';
import type { JoinableAudience } from './subscribers.ts';
import { createTokenDesk, type TokenDesk } from './token-service.ts';

export { hasScope, requireScope } from './require-scope.ts';

/** What transports need, and all they know. */
export interface Service extends Pick<Gate, 'authorize' | 'knows' | 'nameOf' | 'requireAdmitted'> {
  version: string;
  /** Every scope that a token can have. */
  scopes: readonly Scope[];
  modules: readonly ModuleDefinition[];
  store: Store;
  actions: readonly ActionDefinition[];
  audience: JoinableAudience;
  /** The past of the machine. */
  history: History;
  /** Browsers that sign in, and stay so without a secret. */
  browsers: BrowserDesk;
  /** Addresses of single files for a minute. */
  files: FileDesk;
  /** Whether the token behind a caller still grants what it did; it may have been revoked meanwhile, or lost a scope. */
  admits: Gate['admits'];
  /** Calls back when a token was made, changed or revoked, here or by another process; returns the way to stop. */
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
  /** For who shows it. */
  controlPause: Pick<ControlPause, 'current' | 'onChange'>;
  /** Where transports say who is connected; the list is for callers on this machine. */
  clients: Pick<Clients, 'add'> & { list(caller: Caller): Promise<ConnectedClient[]> };
  /** Ends what actions keep. */
  close(): Promise<void>;
  /** Making and revoking tokens. */
  tokens: TokenDesk;
}

/** Who waits for an action, as far as its transport knows. */
export interface WayBack extends Asking {
  /** Takes what an action has to say besides its answer. */
  tell?: ((type: string, data: unknown) => void) | undefined;
  /** Takes what became of it later. */
  report?: (type: string, data: unknown) => void;
}

export interface ServiceParts extends Omit<ActionParts, 'read' | 'controlPause' | 'admits'> {
  audience: JoinableAudience;
  version: string;
  scopes: readonly Scope[];
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

export function createService({ tokens, browsers, tickets, lockout, login, uses, ...parts }: ServiceParts): Service {
  const { log, host, settings, shownSettings, changeSettings, audience, budgets, history, exit } = parts;
  const controlPause = createControlPause(host, log);
  const clients = createClients();
  const used = (tokenId: string, connection: Caller['connection']) => uses.note(tokenId, () => connection().address);
  const gate = createGate({ tokens, browsers, lockout, log, clock: host.clock, used });
  const { admits, requireAdmitted, follow, refuseSecret } = gate;
  const forActions: ActionParts = {
    host,
    log,
    settings,
    shownSettings,
    changeSettings,
    ...(parts.settingsLocks && { settingsLocks: parts.settingsLocks }),
    audience,
    budgets,
    history,
    ...(parts.alerts && { alerts: parts.alerts }),
    controlPause,
    admits,
    ...(parts.questions && { questions: parts.questions }),
    exit,
    read: async (module) => await parts.store.get(module),
  };
  const kept = createKept(forActions);
  const permits = createPermits({ admits, follow }, host.clock);
  for (const { fromStart } of parts.actions) if (fromStart) kept.keep(fromStart);

  return {
    version: parts.version,
    scopes: parts.scopes,
    modules: parts.modules,
    store: parts.store,
    actions: parts.actions,
    audience,
    history,
    authorize: gate.authorize,
    knows: gate.knows,
    nameOf: gate.nameOf,
    requireAdmitted,
    browsers: createBrowserDesk({
      tokens,
      browsers,
      login,
      refuseSecret,
      requireAdmitted,
      used,
      log,
      budgets: parts.budgets,
      monotonic: host.clock.monotonic,
    }),
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
      // Whoever sends it chooses how long that takes, and neither the token nor the user may be as they were.
      requireAdmitted(caller);
      refuseWhilePaused(controlPause, action);
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
        // The owner of the clipboard, a journal or an engine chooses how long an answer takes: a token that was revoked meanwhile gets none.
        if (action.effect === 'read') requireAdmitted(caller);
        // What interrupts the user is worth remembering, whoever asked for it.
        if (action.effect === 'disrupt')
          history.note('order', `${action.name}, by the token ${quoted(caller.tokenName)}`);
        return result;
      } finally {
        permit.end();
      }
    },
    unavailable: createActionLooks({ host, log, settings }),
    keep: kept.keep,
    paused: (action) => pauseOf(controlPause, action),
    controlPause,
    clients: {
      add: clients.add,
      async list(caller) {
        await requireAdminHere(caller);
        return clients.list();
      },
    },
    async close() {
      gate.close();
      uses.close();
      await kept.close();
    },
    tokens: createTokenDesk({ tokens, uses, log, requireAdmitted }),
  };
}

const quoted = (name: string) => JSON.stringify(name.slice(0, 64));

/** null means absent; nothing at all means that there is nothing to say. */
function withoutNulls(input: unknown): unknown {
  if (input === null || input === undefined) return {};
  if (typeof input !== 'object' || Array.isArray(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}
