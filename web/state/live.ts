import {
  type Client,
  type ClientState,
  createClient,
  type ModuleName,
  type ModulePayloads,
} from '@hostler/client/client.ts';
import { batch, effect, type Signal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { refreshStatesSoon } from './availability.ts';
import { basePath } from './base-path.ts';
import { setClock } from './clock.ts';
import { askJson, currentToken, freshToken, renewOrEnd, session } from './session.ts';

/** null: nothing came yet. */
type Known<M extends ModuleName> = Signal<ModulePayloads[M] | null>;

export const connection = signal<{ state: ClientState; sentence: string }>({ state: 'connecting', sentence: '' });
/** Time of the loss of the connection; null: connected. */
export const lostAt = signal<number | null>(null);

const known: { [M in ModuleName]?: Known<M> } = {};
const current: { client: Client | null } = { client: null };
/** Payloads that are not shown yet. */
const arrived = new Map<ModuleName, unknown>();
const drawing: { timer: ReturnType<typeof setTimeout> | null; due: number } = { timer: null, due: 0 };
/** Intervals of modules fall on the same moment at the service; this is how far their payloads come apart. One change of the page costs as much as ten payloads. */
const togetherMs = 250;
/** Data that follows an action of the user is shown at once. */
const atOnceMs = 60;
const answering: ReadonlySet<ModuleName> = new Set([
  'media',
  'audio',
  'chat',
  'displays',
  'battery',
  'containers',
  'prompts',
]);
/** Between attempts where the service refused a token and then did not answer. */
const recoverMs = 2000;
const wanted = new Map<ModuleName, { users: number; stop: (() => void) | null }>();

effect(() => {
  const { value: someone } = session;
  current.client?.close();
  current.client = null;
  if (someone !== null) return connect();
  // The next session may have fewer permissions.
  lostAt.value = null;
  arrived.clear();
  for (const data of Object.values(known)) data.value = null;
});

addEventListener('online', () => retryNow());
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) retryNow();
});

function connect(): void {
  const client = createClient({ where, maxRetryMs: 4000 });
  current.client = client;
  client.onState((state, sentence) => {
    if (current.client !== client) return;
    connection.value = { state, sentence };
    if (state === 'open') {
      lostAt.value = null;
      // The service reads everything for it; what is on the page comes first.
      refreshStatesSoon(200);
      void askForTime();
    } else if (state === 'refused') {
      void recover(client);
    } else if (state === 'waiting') {
      lostAt.value ??= Date.now();
    }
  });
  for (const [name, entry] of wanted) entry.stop = listenTo(name);
}

/** The token is read for every message, because it is replaced every few minutes. */
const where = async () => {
  await freshToken();
  return { url: location.origin + basePath, token: currentToken };
};

/** The token expired, for example during sleep; if the session did as well, this signs out. */
async function recover(client: Client): Promise<void> {
  try {
    await renewOrEnd();
  } catch {
    if (current.client === client) setTimeout(() => void recover(client), recoverMs);
    return;
  }
  if (current.client === client) client.retry();
}

function listenTo(name: ModuleName): (() => void) | null {
  return (
    current.client?.listen([name], (_module, data) => {
      arrived.set(name, data);
      if (dataOf(name).peek() !== null) {
        showIn(answering.has(name) ? atOnceMs : togetherMs);
        return;
      }
      show();
      // What was missing at the start may be known now.
      refreshStatesSoon();
    }) ?? null
  );
}

/** Moves a pending update forward, never back. */
function showIn(ms: number): void {
  const due = performance.now() + ms;
  if (drawing.timer !== null && drawing.due <= due) return;
  if (drawing.timer !== null) clearTimeout(drawing.timer);
  drawing.due = due;
  drawing.timer = setTimeout(show, ms);
}

/** One render for all payloads that arrive together. */
function show(): void {
  if (drawing.timer !== null) clearTimeout(drawing.timer);
  drawing.timer = null;
  batch(() => {
    for (const [name, data] of arrived) dataOf(name).value = data as never;
  });
  arrived.clear();
}

async function askForTime(): Promise<void> {
  const asked = Date.now();
  const health = await askJson<{ timestamp: string }>('/api/health');
  if (health !== null) setClock(Date.parse(health.timestamp), asked);
}

export function dataOf<M extends ModuleName>(name: M): Known<M> {
  const data: Known<M> = (known[name] as Known<M> | undefined) ?? signal(null);
  known[name] = data as never;
  return data;
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

/** The payload of a module, followed while the component is mounted. */
export function useModule<M extends ModuleName>(name: M): ModulePayloads[M] | null {
  useEffect(() => follow(name), [name]);
  return dataOf(name).value;
}

/** Sends an event and returns its answer; throws the error of the service. */
export async function request(
  event: string,
  data: Record<string, unknown> = {},
  options: Parameters<Client['request']>[2] = {},
): Promise<{ data: unknown; message: string }> {
  if (current.client === null) throw new Error('You are not signed in');
  return await current.client.request(event, data, options);
}

export const retryNow = () => current.client?.retry();
