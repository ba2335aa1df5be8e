import type { Lockout } from '../access/limits/lockout.ts';
import type { Scope } from '../access/scopes.ts';
import type { LoginCodes } from '../access/sessions/login-codes.ts';
import type { BrowserSessions } from '../access/sessions/sessions.ts';
import type { FileTickets } from '../access/tokens/file-tickets.ts';
import type { TokenUses } from '../access/tokens/token-uses.ts';
import type { Tokens } from '../access/tokens/tokens.ts';
import type { ActionDefinition, ActionParts, ActionResult } from './action.ts';
import { createAvailabilityCheck } from './action-availability.ts';
import { actionInWords, orderInWords } from './action-words.ts';
import { type Authenticator, createAuthenticator } from './authenticator.ts';
import { type Caller, shareIdOf } from './caller.ts';
import { type Asking, createCancellations } from './cancellation.ts';
import { type Clients, type ConnectedClient, createClients } from './clients.ts';
import { type ControlPause, createControlPause, pauseOf, refuseWhilePaused } from './control-pause.ts';
import { createFileService, type FileService } from './file-service.ts';
import { parse } from './json/parse.ts';
import type { ModuleDefinition } from './module.ts';
import { createPlaces } from './places.ts';
import type { History } from './readings/history.ts';
import { requireAdminHere, requireScope } from './require-scope.ts';
import { createSessionService, type SessionService } from './session-service.ts';
import { createSingletons, type Singletons } from './singletons.ts';
import type { Store } from './store.ts';
import type { SubscriberRegistry } from './subscribers.ts';
import { createTokenService, type TokenService } from './token-service.ts';

export { hasScope, requireScope } from './require-scope.ts';

/** Everything transports know of the service. */
export interface Service extends Pick<Authenticator, 'authorize' | 'knows' | 'identify' | 'requireAdmitted'> {
  version: string;
  /** Every scope that a token can have. */
  scopes: readonly Scope[];
  modules: readonly ModuleDefinition[];
  store: Store;
  actions: readonly ActionDefinition[];
  subscribers: SubscriberRegistry;
  history: History;
  /** Browser sessions, which need no stored secret. */
  browsers: SessionService;
  /** Addresses of single files, valid for a minute. */
  files: FileService;
  /** Whether the token of a caller still grants what it did; it may have been revoked meanwhile, or lost a scope. */
  admits: Authenticator['admits'];
  /** Calls back when a token was created, changed or revoked, here or by another process; returns the function that stops it. */
  onTokensChange(changed: () => void): () => void;
  /**
   * Callers without the scope are refused before anything else, so transports do not check scopes. `input` may be a function that reads the
   * input; it is not called for them, so that they learn nothing about the expected input.
   */
  perform(action: ActionDefinition, input: unknown, caller: Caller, way?: WayBack): Promise<ActionResult>;
  /** null: the action would work here now; otherwise what is missing. */
  unavailable(action: ActionDefinition): Promise<string | null>;
  /** State of actions between their runs, for transports that show it. */
  keep: Singletons['keep'];
  /** Whether a token or a browser session was used from this address lately. */
  isKnownAddress(address: string): boolean;
  /** Why the action is refused now; null: control is not paused, or the action works during a pause. */
  paused(action: ActionDefinition): string | null;
  /** For transports that show it. */
  controlPause: Pick<ControlPause, 'current' | 'onChange'>;
  /** Where transports register their clients; the list is for callers on this machine. */
  clients: Pick<Clients, 'add'> & { list(caller: Caller): Promise<ConnectedClient[]> };
  close(): Promise<void>;
  tokens: TokenService;
}

/** What a transport knows about the client that waits for an action. */
export interface WayBack extends Asking {
  /** Takes messages of an action before or after its result. */
  notify?: ((type: string, data: unknown) => void) | undefined;
  report?: (type: string, data: unknown) => void;
  /** Called with the checked input before the action runs: what is refused by scope, pause or schema never gets there. */
  starting?: (input: object) => void;
}

export interface ServiceParts
  extends Omit<ActionParts, 'read' | 'controlPause' | 'admits' | 'onTokensChange' | 'deliver'> {
  subscribers: SubscriberRegistry;
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
  uses: TokenUses;
}

export function createService({ tokens, browsers, tickets, lockout, login, uses, ...parts }: ServiceParts): Service {
  const { version, scopes, modules, store, actions, ...forAll } = parts;
  const { log, host, settings, subscribers, history } = forAll;
  const controlPause = createControlPause(host, log);
  const clients = createClients();
  const used = (tokenId: string, connection: Caller['connection']) => uses.note(tokenId, () => connection().address);
  const brokerScopes = () => {
    const { mqtt } = settings();
    return mqtt.url === '' ? null : mqtt.scopes;
  };
  const authenticator = createAuthenticator({
    tokens,
    browsers,
    lockout,
    log,
    clock: host.clock,
    brokerScopes,
    noteSignIn: (text) => history.note('sign_in', text),
    used,
  });
  const { admits, requireAdmitted, follow, refuseSecret } = authenticator;
  const forActions: ActionParts = {
    ...forAll,
    controlPause,
    admits,
    onTokensChange: follow,
    deliver: clients.deliver,
    read: async (module) => await store.get(module),
  };
  const singletons = createSingletons(forActions);
  const cancellationFor = createCancellations({ admits, follow }, host.clock);
  const running = createPlaces(forAll.budgets.all.actions, 'Too many actions are running; try again');
  for (const { fromStart } of actions) if (fromStart) singletons.keep(fromStart);

  return {
    version,
    scopes,
    modules,
    store,
    actions,
    subscribers,
    history,
    authorize: authenticator.authorize,
    isKnownAddress: (address) =>
      uses.isKnown(address) || browsers.list().some((session) => session.address === address),
    knows: authenticator.knows,
    identify: authenticator.identify,
    requireAdmitted,
    browsers: createSessionService({
      tokens,
      browsers,
      login,
      refuseSecret,
      requireAdmitted,
      used,
      log,
      budgets: forAll.budgets,
      monotonic: host.clock.monotonic,
    }),
    files: createFileService(tickets, admits),
    onTokensChange: follow,
    admits,
    async perform(action, input, asker, { notify = notifyNone, report, starting, ...asking } = {}) {
      // Read now, while the connection is known: it may be closed before the action is done.
      const from = asker.connection();
      const caller: Caller = { ...asker, connection: () => from };
      requireScope(caller, ...action.scopes);
      refuseWhilePaused(controlPause, action);
      const free = running.take(shareIdOf(caller));
      // What ends something must work even then.
      if (free === null && action.duringPause !== true) throw running.full();
      const cancellation = cancellationFor(caller, asking);
      try {
        const given = typeof input === 'function' ? await input() : input;
        // The client determines how long reading the input takes; the token may have changed meanwhile.
        requireAdmitted(caller);
        refuseWhilePaused(controlPause, action);
        const checked = parse(await action.input(), withoutNulls(given), action.name);
        starting?.({ ...(checked as object) });
        const result = await action.run(checked, {
          ...forActions,
          caller,
          notify,
          ...(report !== undefined && { report }),
          keep: singletons.keep,
          get signal() {
            return cancellation.signal;
          },
          get orderSignal() {
            return cancellation.orderSignal;
          },
        });
        // The owner of the clipboard, a journal or an engine determines how long a result takes: a token that was revoked meanwhile gets
        // none.
        if (action.effect === 'read') requireAdmitted(caller);
        // Actions that interrupt the user are logged, regardless of the caller.
        if (action.effect === 'disrupt')
          history.note('order', orderInWords(actionInWords(action, checked, settings()), caller.tokenName));
        return result;
      } finally {
        cancellation.end();
        free?.();
      }
    },
    unavailable: createAvailabilityCheck({ host, log, settings }),
    keep: singletons.keep,
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
      authenticator.close();
      uses.close();
      await singletons.close();
    },
    tokens: createTokenService({ tokens, uses, log, requireAdmitted }),
  };
}

/** Not inside `perform`: an action may hold it for long, and functions of an async function hold its input. */
const notifyNone = () => {};

/** null means absent; undefined means that the action has no data. */
function withoutNulls(input: unknown): unknown {
  if (input === null || input === undefined) return {};
  if (typeof input !== 'object' || Array.isArray(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}
