import { effect, type Signal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import {
  type Client,
  type ClientState,
  createClient,
  type ModuleName,
  type ModulePayloads,
} from '../../src/client/client.ts';
import { refreshActionStates } from './actions.ts';
import { signOut, token } from './session.ts';

/** One entry of GET /api/modules. */
export interface ModuleState {
  name: string;
  description: string;
  interval_ms: number;
  availability: 'available' | 'degraded' | 'unavailable';
  reasons: { field: string | null; reason: string; mendable: boolean }[];
}

interface Known<M extends ModuleName> {
  /** null: nothing came yet. */
  data: Signal<ModulePayloads[M] | null>;
  /** When it came, Unix milliseconds. */
  at: Signal<number>;
}

export const connection = signal<{ state: ClientState; sentence: string }>({ state: 'connecting', sentence: '' });
export const moduleStates = signal<ModuleState[]>([]);
/** When the connection was lost; null: it is there. */
export const lostAt = signal<number | null>(null);

const known: { [M in ModuleName]?: Known<M> } = {};
let client: Client | null = null;
const wanted = new Map<ModuleName, { users: number; stop: (() => void) | null }>();

effect(() => {
  const secret = token.value;
  client?.close();
  client = null;
  if (secret !== null) connect(secret);
});

function connect(secret: string): void {
  const opened = createClient({ where: { url: location.origin, token: secret }, maxRetryMs: 4000 });
  client = opened;
  opened.onState((state, sentence) => {
    if (client !== opened) return;
    connection.value = { state, sentence };
    if (state === 'open') {
      lostAt.value = null;
      void refreshModuleStates();
      void refreshActionStates();
    } else if (state === 'refused') {
      signOut(sentence);
    } else if (state === 'waiting') {
      lostAt.value ??= Date.now();
    }
  });
  for (const [name, entry] of wanted) entry.stop = listenTo(name);
}

function listenTo(name: ModuleName): (() => void) | null {
  return (
    client?.listen([name], (_module, data) => {
      const entry = entryOf(name);
      entry.data.value = data as never;
      entry.at.value = Date.now();
    }) ?? null
  );
}

function entryOf<M extends ModuleName>(name: M): Known<M> {
  const entry: Known<M> = (known[name] as Known<M> | undefined) ?? { data: signal(null), at: signal(0) };
  known[name] = entry as never;
  return entry;
}

/** Listens to a module until the returned function is called; many may do so at once. */
export function follow(name: ModuleName): () => void {
  const entry = wanted.get(name) ?? { users: 0, stop: null };
  wanted.set(name, entry);
  if (++entry.users === 1) entry.stop = listenTo(name);
  return () => {
    if (--entry.users > 0) return;
    entry.stop?.();
    wanted.delete(name);
  };
}

/** What a module says, followed while the component is on the page. */
export function useModule<M extends ModuleName>(name: M): ModulePayloads[M] | null {
  useEffect(() => follow(name), [name]);
  return entryOf(name).data.value;
}

export const dataOf = <M extends ModuleName>(name: M): Signal<ModulePayloads[M] | null> => entryOf(name).data;

export async function refreshModuleStates(): Promise<void> {
  const response = await get('/api/modules').catch(() => null);
  if (response?.ok) moduleStates.value = await response.json();
}

export function get(path: string): Promise<Response> {
  return fetch(path, { headers: { 'X-API-Token': token.value ?? '' } });
}

/** Sends an event and gives its answer; throws what the service says against it. */
export async function request(
  event: string,
  data: Record<string, unknown> = {},
  options: Parameters<Client['request']>[2] = {},
): Promise<{ data: unknown; message: string }> {
  if (client === null) throw new Error('Nobody is signed in');
  return await client.request(event as never, data as never, options);
}

export const retryNow = () => client?.retry();
