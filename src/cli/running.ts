import path from 'node:path';
import type { Host } from '../host/host.ts';
import type { LocalQuestion } from '../host/local-http.ts';
import type { RunningService } from '../serve.ts';
import { isPlainObject } from '../settings/change.ts';
import { actionPath } from '../transports/http/local.ts';

/** How other commands find the service that runs on this state directory. */
export interface RunningInfo {
  pid: number;
  host: string;
  port: number;
  /** Good for reading, and only as long as that service runs: whoever takes its port later gets nothing by it. */
  token: string;
  /** For actions; only we and root can connect to it. null: there is none. */
  socket: string | null;
}

const fileOf = ({ paths }: Host) => path.join(paths.state, 'service.json');

/** False: another service on this state directory is the one that commands find, and stays it. */
export async function rememberRunning(
  host: Host,
  { host: address, port, readToken, socket }: RunningService,
): Promise<boolean> {
  const earlier = readInfo(host);
  if (earlier !== null && earlier.pid !== host.environment.pid && (await findService(host)) !== null) return false;
  // One that was killed could not remove it.
  if (earlier?.socket && !host.environment.isRunning(earlier.pid)) host.storage.remove(earlier.socket);
  const info: RunningInfo = { pid: host.environment.pid, host: address, port, token: readToken, socket };
  host.storage.write(fileOf(host), `${JSON.stringify(info)}\n`);
  return true;
}

/** A file that cannot be removed any more does no harm: its process is gone, and its token with it. */
export function forgetRunning(host: Host): void {
  try {
    if (readInfo(host)?.pid === host.environment.pid) host.storage.remove(fileOf(host));
  } catch {}
}

/** Asks the running service for JSON. null: there is none that answers. Throws its sentence when it refuses. */
export interface ServiceClient {
  info: RunningInfo;
  /** Its address as a URL, without anything behind the port. */
  base: string;
  version: string;
  get(route: string): Promise<unknown>;
  /** Does an action such as `power.lock`, with all rights, as the user whose service it is. */
  perform(action: string, input: Record<string, unknown>): Promise<{ message: string; data: unknown }>;
}

const probeMs = 1500;
const answerMs = 15_000;
/** Some actions take their time, and say themselves when they give up. */
const actionMs = 330_000;

export async function findService(host: Host): Promise<ServiceClient | null> {
  const info = readInfo(host);
  if (info === null || !host.environment.isRunning(info.pid)) return null;
  const address = reachable(info.host);
  const { port } = info;
  const health = await ask(host, { address, port, route: '/api/health', headers: {}, timeoutMs: probeMs }).catch(
    () => null,
  );
  if (health === null || health.status !== 200 || !isPlainObject(health.body)) return null;
  return {
    info,
    base: `http://${address.includes(':') ? `[${address}]` : address}:${port}`,
    version: String(health.body.version),
    async get(route) {
      const headers = { 'X-API-Token': info.token };
      return bodyOf(await ask(host, { address, port, route, headers, timeoutMs: answerMs }));
    },
    async perform(action, input) {
      if (info.socket === null)
        throw new Error('The running service has no socket for commands; its log says why. Restart it');
      const body = bodyOf(
        await ask(host, {
          socket: info.socket,
          route: actionPath(action),
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(input),
          timeoutMs: actionMs,
        }),
      );
      const { message, data } = isPlainObject(body) ? body : {};
      return { message: String(message ?? ''), data };
    },
  };
}

interface Answer {
  status: number;
  body: unknown;
}

async function ask(host: Host, question: LocalQuestion): Promise<Answer> {
  const { status, text } = await host.localHttp.request(question);
  return { status, body: JSON.parse(text) };
}

function bodyOf({ status, body }: Answer): unknown {
  if (status === 200) return body;
  throw new Error(
    isPlainObject(body) && typeof body.error === 'string' ? body.error : `the service answered ${status}`,
  );
}

function readInfo(host: Host): RunningInfo | null {
  try {
    const value: unknown = JSON.parse(host.storage.read(fileOf(host)) ?? 'null');
    if (!isPlainObject(value)) return null;
    const { pid, port, host: address, token, socket } = value;
    if (typeof pid !== 'number' || typeof port !== 'number') return null;
    return {
      pid,
      port,
      host: String(address),
      token: String(token),
      socket: typeof socket === 'string' ? socket : null,
    };
  } catch {
    return null;
  }
}

function reachable(address: string): string {
  if (address === '' || address === '::' || address === '0.0.0.0') return '127.0.0.1';
  return address;
}
