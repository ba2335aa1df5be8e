import path from 'node:path';
import type { RunningService } from '../app/service.ts';
import type { Host } from '../host/host.ts';
import type { LocalRequest } from '../host/local-http.ts';
import { codeOf } from '../lib/errors.ts';
import { isObject } from '../lib/values.ts';
import { ownUrl } from '../transports/http/own-url.ts';
import { type LocalRoute, localRoutes } from '../transports/http/routes/local.ts';
import { UsageError } from './exit.ts';

/** How other commands find the service that runs on this state directory. */
export interface RunningInfo {
  pid: number;
  /** When that process was started: another one may get its number later. null: this system does not report it. */
  started: string | null;
  host: string;
  /** Without TLS; null: only with it. */
  port: number | null;
  isLocalOnly: boolean;
  /** With TLS; null: not with it. */
  securePort: number | null;
  /** The socket for all requests: only this user and root can connect to it, and no other user can have created it. null: there is none. */
  socket: string | null;
}

const fileOf = ({ paths }: Host) => path.join(paths.state, 'service.json');

/** false: commands use another service on this state directory, which stays registered. */
export async function rememberRunning(
  host: Host,
  {
    host: address,
    port,
    isLocalOnly,
    securePort,
    socket,
  }: Pick<RunningService, 'host' | 'port' | 'isLocalOnly' | 'securePort' | 'socket'>,
): Promise<boolean> {
  const { pid, startOf } = host.environment;
  const earlier = readInfo(host);
  const isAnother = earlier !== null && earlier.socket !== socket && earlier.pid !== pid;
  if (isAnother && (await exists(host, earlier))) return false;
  // A killed service could not remove it.
  if (isAnother && earlier.socket !== null) host.storage.remove(earlier.socket);
  const info: Partial<RunningInfo> = {
    pid,
    started: startOf(pid),
    host: address,
    port,
    ...(isLocalOnly ? { isLocalOnly } : {}),
    ...(securePort === null ? {} : { securePort }),
    socket,
  };
  host.storage.write(fileOf(host), `${JSON.stringify(info)}\n`);
  return true;
}

/** A file that cannot be removed does no harm: its process is gone. */
export function forgetRunning(host: Host): void {
  try {
    if (readInfo(host)?.pid === host.environment.pid) host.storage.remove(fileOf(host));
  } catch {}
}

/** Calls the running service. Throws its message when it refuses. */
export interface ServiceClient {
  info: RunningInfo & { socket: string };
  /** Its address as a URL, without a path. */
  base: string;
  version: string;
  get(route: LocalRoute): Promise<unknown>;
  read(module: string): Promise<unknown>;
  post(route: LocalRoute, input?: Record<string, unknown>): Promise<unknown>;
  /** Performs an action such as `power.lock`, with all rights, as the owner of the service. */
  perform(action: string, input: Record<string, unknown>): Promise<{ message: string; data: unknown }>;
}

const probeMs = 1500;
const answerMs = 15_000;
/** Some actions take long, and have their own time limits. */
const actionMs = 330_000;

/** null: none is running. */
export async function findService(host: Host): Promise<ServiceClient | null> {
  const info = readInfo(host);
  if (info === null || !isAlive(host, info)) return null;
  const { socket } = info;
  if (socket === null)
    throw new Error(
      'The running service has no socket for commands. Fix the cause, which its log reports, and restart it',
    );
  const health = await probe(host, socket);
  if (health === null) return null;
  if (health.status !== 200 || !isObject(health.body))
    throw new Error('The running service has another version than this command; restart it');
  const json = { 'Content-Type': 'application/json' };
  const get = async (route: LocalRoute) => bodyOf(await ask(host, { socket, route, headers: {}, timeoutMs: answerMs }));
  return {
    info: { ...info, socket },
    base:
      info.port === null
        ? ownUrl(info.host, info.securePort ?? 0, true)
        : ownUrl(info.isLocalOnly ? '' : info.host, info.port),
    version: String(health.body.version),
    get,
    read: (module) => get(localRoutes.data(module)),
    async post(route, input = {}) {
      const request = { socket, route, headers: json, body: JSON.stringify(input), timeoutMs: answerMs };
      return bodyOf(await ask(host, request));
    },
    async perform(action, input) {
      const route = localRoutes.action(action);
      const request = { socket, route, headers: json, body: JSON.stringify(input), timeoutMs: actionMs };
      const body = bodyOf(await ask(host, request));
      const { message, data } = isObject(body) ? body : {};
      return { message: String(message ?? ''), data };
    },
  };
}

/** For what only a running service can do. */
export async function requireService({ host, command }: { host: Host; command: string }): Promise<ServiceClient> {
  const service = await findService(host);
  if (service !== null) return service;
  throw new Error(`The service is not running; ${await howToStart({ host, command })}`);
}

/** The rest of a sentence: how to start the service. */
export async function howToStart({ host, command }: { host: Host; command: string }): Promise<string> {
  const { findInstallation } = await import('../app/installation/find-installation.ts');
  const installation = await findInstallation(host).catch(() => null);
  const state = await installation?.state().catch(() => null);
  if (state?.startsAtLogin) return `start it with "${command} service restart"`;
  return `start it with "${command} serve", or now and at every login with "${command} service install"`;
}

/** Has this number and start time: not another process that got its number. */
function isAlive({ environment }: Host, { pid, started }: RunningInfo): boolean {
  return environment.isRunning(pid) && (started === null || environment.startOf(pid) === started);
}

/** Whether it exists: its process, and its socket, which no other process can have taken over. */
async function exists(host: Host, info: RunningInfo): Promise<boolean> {
  if (!isAlive(host, info)) return false;
  // A service that is too busy to answer exists as well.
  return info.socket === null || (await probe(host, info.socket).catch(() => true)) !== null;
}

/** null: there is no service at its end. A busy one exists. */
async function probe(host: Host, socket: string): Promise<ServiceResponse | null> {
  try {
    return await ask(host, { socket, route: localRoutes.health, headers: {}, timeoutMs: probeMs });
  } catch (error) {
    if (goneCodes.includes(codeOf(error) ?? '')) return null;
    // Another process answers, and the message says so.
    if (codeOf(error) === 'EPERM') throw error;
    throw new Error('The running service does not answer; see its log', { cause: error });
  }
}

const wrongInput = [400, 413];
const goneCodes = ['ENOENT', 'ECONNREFUSED', 'ENOTSOCK'];

interface ServiceResponse {
  status: number;
  body: unknown;
}

async function ask(host: Host, request: LocalRequest): Promise<ServiceResponse> {
  const { status, text } = await host.localHttp.request(request);
  return { status, body: JSON.parse(text) };
}

function bodyOf({ status, body }: ServiceResponse): unknown {
  if (status === 200) return body;
  const sentence = isObject(body) && typeof body.error === 'string' ? body.error : `the service answered ${status}`;
  // Errors that depend on the input alone: the user has to type something else.
  throw wrongInput.includes(status) ? new UsageError(sentence) : new Error(sentence);
}

function readInfo(host: Host): RunningInfo | null {
  try {
    const value: unknown = JSON.parse(host.storage.read(fileOf(host)) ?? 'null');
    if (!isObject(value)) return null;
    const { pid, started, port, isLocalOnly, securePort, host: address, socket } = value;
    if (typeof pid !== 'number') return null;
    return {
      pid,
      started: typeof started === 'string' ? started : null,
      port: typeof port === 'number' ? port : null,
      isLocalOnly: isLocalOnly === true,
      securePort: typeof securePort === 'number' ? securePort : null,
      host: String(address),
      socket: typeof socket === 'string' ? socket : null,
    };
  } catch {
    return null;
  }
}
