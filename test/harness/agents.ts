import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { AuditEntry } from '../../src/access/audit/audit.records.ts';
import type { AuditKind } from '../../src/access/audit/audit.ts';
import { budgets } from '../../src/access/limits/budgets.ts';
import { createLockout } from '../../src/access/limits/lockout.ts';
import type { Scope } from '../../src/access/scopes.ts';
import { createLoginCodes } from '../../src/access/sessions/login-codes.ts';
import { openBrowserSessions } from '../../src/access/sessions/sessions.ts';
import { createFileTickets } from '../../src/access/tokens/file-tickets.ts';
import { createTokenUses } from '../../src/access/tokens/token-uses.ts';
import { openTokens } from '../../src/access/tokens/tokens.ts';
import { startThread } from '../../src/app/threads/start-thread.ts';
import { agentKit } from '../../src/app/transports.ts';
import type { ActionDefinition } from '../../src/core/action.ts';
import type { AskUser } from '../../src/core/agent.ts';
import type { Caller } from '../../src/core/caller.ts';
import type { ModuleDefinition } from '../../src/core/module.ts';
import type { History } from '../../src/core/readings/history.ts';
import { createService } from '../../src/core/service.ts';
import { createStore } from '../../src/core/store.ts';
import { createSubscribers } from '../../src/core/subscribers.ts';
import type { AgentKit } from '../../src/core/tool.ts';
import { allScopes, defaultSettings, modules as realModules, scopes } from '../../src/features/index.ts';
import { createClock } from '../../src/host/clock.ts';
import { createLinuxHost } from '../../src/host/linux/create-linux-host.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { Settings } from '../../src/settings/settings.schema.ts';
import { createAgents } from '../../src/transports/mcp/create-agents.ts';
import { fakeContext, memoryStorage, noHistory } from '../doubles/fake-host.ts';

export interface FakeAgentsOptions {
  /** What modules return, by name; a function is called each time. Modules that are not named do not exist. */
  payloads?: Record<string, unknown>;
  actions?: readonly ActionDefinition[];
  kit?: AgentKit;
  askUser?: AskUser;
  mcp?: Partial<Settings['mcp']>;
  settings?: Partial<Settings>;
  history?: History;
  /** Default: the real one. */
  clock?: Clock;
}

/** The MCP server on a machine with the given data. Nothing goes over a network. */
export function fakeAgents({
  payloads = {},
  actions = [],
  kit = agentKit,
  askUser,
  mcp,
  settings,
  history = noHistory,
  clock = createClock(),
}: FakeAgentsOptions = {}) {
  const host = { ...createLinuxHost('6.0.0', startThread), storage: memoryStorage(), clock };
  let current: Settings = { ...defaultSettings, ...settings, mcp: { ...defaultSettings.mcp, ...mcp } };
  const context = fakeContext({ settings: () => current });
  const modules = realModules
    .filter(({ name }) => name in payloads)
    .map((module) => saying(module, payloads[module.name]));
  const store = createStore({ modules, host, context });
  // Every caller in a test has a token with all scopes.
  let granted: ReadonlySet<Scope> | null = new Set(allScopes);
  const tokens = { ...openTokens(scopes, host), granted: () => granted };
  const service = createService({
    scopes: allScopes,
    version: '6.0.0',
    modules,
    store,
    actions,
    tokens,
    browsers: openBrowserSessions(scopes, host, tokens),
    tickets: createFileTickets(clock),
    budgets,
    lockout: createLockout(clock),
    login: createLoginCodes(host),
    uses: createTokenUses(host),
    settings: () => current,
    shownSettings: async () => current,
    changeSettings: async () => current,
    subscribers: createSubscribers(store, clock),
    history,
    exit: () => {},
    host,
    log: context.log,
  });
  const audit: AuditEntry[] = [];
  const kinds: AuditKind[] = [];
  const lasting: number[] = [];
  const endpoint = createAgents(
    {
      service,
      settings: () => current,
      kit,
      askUser: askUser ?? nobodyHere,
      failedUnits: async () => ({ units: [], reasons: [] }),
      audit(entry, kind) {
        audit.push(entry);
        kinds.push(kind);
      },
      log: context.log,
      clock,
    },
    (count) => void lasting.push(count),
  );

  const fetchAs = (caller: Caller) => async (url: URL | string, init?: RequestInit) => {
    const request = new Request(String(url), init);
    const body: unknown = request.method === 'POST' ? JSON.parse(await request.clone().text()) : undefined;
    return await endpoint.answer(request, body, caller);
  };

  return {
    service,
    endpoint,
    store,
    audit,
    /** Of the lines in `audit`, one each. */
    kinds,
    lasting,
    fetchAs,
    /** The scopes of the token of every caller from now on; null: it was revoked. */
    grant(scopes: readonly Scope[] | null) {
      granted = scopes === null ? null : new Set(scopes);
    },
    change(next: Partial<Settings['mcp']>) {
      current = { ...current, mcp: { ...current.mcp, ...next } };
      endpoint.toolsChanged();
    },
    async connect({ mode = 'auto', caller = callerWith(), ...options }: ConnectOptions = {}) {
      const client = new Client({ name: 'tester', version: '1' }, { ...options, versionNegotiation: { mode } });
      await client.connect(
        new StreamableHTTPClientTransport(new URL('http://127.0.0.1/api/mcp'), { fetch: fetchAs(caller) }),
      );
      return client;
    },
    async close() {
      await endpoint.close();
      store.close();
    },
  };
}

/** A machine that cannot show prompts. */
const nobodyHere: AskUser = async () => 'denied';

export type Mode = 'auto' | 'legacy' | { pin: '2026-07-28' };
export const modes: Mode[] = ['auto', 'legacy', { pin: '2026-07-28' }];

export interface ConnectOptions extends Omit<ClientOptions, 'versionNegotiation'> {
  mode?: Mode;
  caller?: Caller;
}

export function callerWith(scopes: readonly Scope[] = allScopes, tokenId = 'one'): Caller {
  return {
    tokenId,
    tokenName: `token ${tokenId}`,
    scopes: new Set(scopes),
    connection: () => ({ address: '127.0.0.1', forwarded: false, isOurUser: async () => true }),
  };
}

function saying(module: ModuleDefinition, payload: unknown): ModuleDefinition {
  const read = () => (typeof payload === 'function' ? payload() : payload);
  return { ...module, isolated: false, everyMs: 250, sources: { linux: async () => () => ({ read }) } };
}
