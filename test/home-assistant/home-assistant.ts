import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { endProcess } from '../real/harness/end-process.ts';
import { root, until } from '../real/harness/service.ts';
import { controlAddress, homeAddress } from './network.ts';

/** A real Home Assistant with an empty configuration and the integration of this repository. */
export interface HomeAssistant {
  /** The answer as JSON; a text is an answer of Home Assistant without any. */
  rest<T>(method: string, route: string, body?: unknown): Promise<{ status: number; body: T }>;
  /** A command over its WebSocket; the result, and what happens after it. */
  ask<T>(type: string, data?: Record<string, unknown>, happened?: (event: unknown) => void): Promise<T>;
  states(): Promise<Map<string, State>>;
  port: number;
  base: string;
  /** Its folder. */
  configuration: string;
  stop(): Promise<void>;
}

export interface State {
  entity_id: string;
  state: string;
  attributes: Record<string, unknown>;
}

const port = 18_123;
const base = `http://[${controlAddress}]:${port}`;

/** A folder that Home Assistant sees, with the integration. */
export function createConfiguration(directory: string): string {
  const configuration = fs.mkdtempSync(path.join(directory, 'configuration-'));
  const integration = path.join(root, 'integrations', 'home-assistant', 'custom_components');
  fs.cpSync(integration, path.join(configuration, 'custom_components'), { recursive: true });
  return configuration;
}

/**
 * `directory` has `in-tree.sh`, which runs a command in an environment where `python3 -m homeassistant` works and that sees
 * `directory` at the same path. `prepare` adds to its configuration.
 */
export async function startHomeAssistant(
  directory: string,
  { within, prepare }: { within: readonly string[]; prepare(configuration: string): void },
): Promise<HomeAssistant> {
  const configuration = createConfiguration(directory);
  prepare(configuration);
  fs.writeFileSync(path.join(configuration, 'configuration.yaml'), settings);
  const log = fs.openSync(path.join(configuration, 'output.log'), 'w');
  const command = ['python3', '-m', 'homeassistant', '-c', configuration, '--skip-pip', '--log-no-color'];
  const [program = '', ...before] = [...within, path.join(directory, 'in-tree.sh')];
  const child = spawn(program, [...before, ...command], {
    env: { PATH: process.env.PATH ?? '', HA_DIR: directory },
    stdio: ['ignore', log, log],
  });
  const answers = async () => ((await fetch(`${base}/api/onboarding`).catch(() => null))?.ok === true ? true : null);
  const stop = async () => {
    await endProcess(child);
    fs.rmSync(configuration, { recursive: true, force: true });
  };
  const signIn = async () => {
    await until(answers, 600_000);
    const token = await onboard();
    return { token, ask: await connect(token) };
  };
  const { token, ask } = await signIn().catch(async (error) => {
    await stop();
    throw error;
  });
  const rest = async <T>(method: string, route: string, body?: unknown): Promise<{ status: number; body: T }> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'ha-frontend-base': base };
    const response = await fetch(base + route, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: /^[[{]/.test(text) ? JSON.parse(text) : text };
  };
  return {
    rest,
    ask,
    port,
    base,
    configuration,
    states: async () => new Map((await rest<State[]>('GET', '/api/states')).body.map((one) => [one.entity_id, one])),
    stop,
  };
}

const settings = `homeassistant:
  name: Test
  time_zone: UTC
  unit_system: metric
  internal_url: http://${homeAddress}:${port}
http:
  server_host:
    - ${homeAddress}
    - ${controlAddress}
  server_port: ${port}
api:
config:
repairs:
zeroconf:
recorder:
  commit_interval: 1
tts:
  - platform: spoken
logger:
  default: info
`;

async function onboard(): Promise<string> {
  const client_id = `${base}/`;
  const user = { client_id, name: 'Test', username: 'test', password: 'only-for-this-test', language: 'en' };
  const made = await fetch(`${base}/api/onboarding/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(user),
  });
  const { auth_code } = (await made.json()) as { auth_code: string };
  const granted = await fetch(`${base}/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'authorization_code', code: auth_code, client_id }),
  });
  return ((await granted.json()) as { access_token: string }).access_token;
}

interface Answer {
  success: boolean;
  result: unknown;
  error?: { message: string };
}

async function connect(token: string): Promise<HomeAssistant['ask']> {
  const socket = new WebSocket(`${base.replace('http', 'ws')}/api/websocket`);
  const waiting = new Map<number, (answer: Answer) => void>();
  const following = new Map<number, (event: unknown) => void>();
  const ready = Promise.withResolvers<void>();
  let last = 0;
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data));
    if (message.type === 'auth_required') socket.send(JSON.stringify({ type: 'auth', access_token: token }));
    else if (message.type === 'auth_ok') ready.resolve();
    else if (message.type === 'result') waiting.get(message.id)?.(message);
    else if (message.type === 'event') following.get(message.id)?.(message.event);
  };
  await ready.promise;
  return async <T>(type: string, data: Record<string, unknown> = {}, happened: (event: unknown) => void = () => {}) => {
    last += 1;
    const id = last;
    following.set(id, happened);
    const answer = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, type, ...data }));
    const { success, result, error } = await answer;
    if (!success) throw new Error(`${type}: ${error?.message}`);
    return result as T;
  };
}
