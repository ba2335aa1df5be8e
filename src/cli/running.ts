import path from 'node:path';
import type { Host } from '../host/host.ts';
import type { RunningService } from '../serve.ts';
import { isPlainObject } from '../settings/change.ts';

/** How other commands find the service that runs on this state directory. */
export interface RunningInfo {
  pid: number;
  host: string;
  port: number;
  /** Good for reading, and only as long as that service runs: whoever takes its port later gets nothing by it. */
  token: string;
}

const fileOf = ({ paths }: Host) => path.join(paths.state, 'service.json');

export function rememberRunning(host: Host, { host: address, port, readToken }: RunningService): void {
  const info: RunningInfo = { pid: host.environment.pid, host: address, port, token: readToken };
  host.storage.write(fileOf(host), `${JSON.stringify(info)}\n`);
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
  version: string;
  get(route: string): Promise<unknown>;
}

const probeMs = 1500;
const answerMs = 15_000;

export async function findService(host: Host): Promise<ServiceClient | null> {
  const info = readInfo(host);
  if (info === null || !host.environment.isRunning(info.pid)) return null;
  const address = reachable(info.host);
  const ask = async (route: string, headers: Record<string, string>, timeoutMs: number) => {
    const { status, text } = await host.ask({ address, port: info.port, route, headers, timeoutMs });
    return { status, body: JSON.parse(text) as unknown };
  };
  const health = await ask('/api/health', {}, probeMs).catch(() => null);
  if (health === null || health.status !== 200 || !isPlainObject(health.body)) return null;
  return {
    info,
    version: String(health.body.version),
    async get(route) {
      const { status, body } = await ask(route, { 'X-API-Token': info.token }, answerMs);
      if (status === 200) return body;
      throw new Error(
        isPlainObject(body) && typeof body.error === 'string' ? body.error : `the service answered ${status}`,
      );
    },
  };
}

function readInfo(host: Host): RunningInfo | null {
  try {
    const value: unknown = JSON.parse(host.storage.read(fileOf(host)) ?? 'null');
    if (!isPlainObject(value)) return null;
    const { pid, port, host: address, token } = value;
    if (typeof pid !== 'number' || typeof port !== 'number') return null;
    return { pid, port, host: String(address), token: String(token) };
  } catch {
    return null;
  }
}

function reachable(address: string): string {
  if (address === '' || address === '::' || address === '0.0.0.0') return '127.0.0.1';
  return address;
}
