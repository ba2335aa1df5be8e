import path from 'node:path';
import { firstTokenFile } from '../access/tokens.ts';
import type { Host } from '../host/host.ts';
import type { RunningService } from '../serve.ts';

/** How other commands find the service that runs on this state directory. */
export interface RunningInfo {
  pid: number;
  host: string;
  port: number;
}

const fileOf = ({ paths }: Host) => path.join(paths.state, 'service.json');

export function rememberRunning(host: Host, { host: address, port }: RunningService): void {
  const info: RunningInfo = { pid: host.environment.pid, host: address, port };
  host.storage.write(fileOf(host), `${JSON.stringify(info)}\n`);
}

export function forgetRunning(host: Host): void {
  if (readInfo(host)?.pid === host.environment.pid) host.storage.remove(fileOf(host));
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
  if (info === null) return null;
  const base = `http://${reachable(info.host)}:${info.port}`;
  const health = await fetchJson(`${base}/api/health`, {}, probeMs).catch(() => null);
  if (health === null || health.status !== 200 || !isRecord(health.body)) return null;
  const { version } = health.body;
  const token = host.storage.read(path.join(host.paths.state, firstTokenFile))?.trim() ?? '';
  return {
    info,
    version: String(version),
    async get(route) {
      const { status, body } = await fetchJson(`${base}${route}`, { 'X-API-Token': token }, answerMs);
      if (status === 200) return body;
      throw new Error(isRecord(body) && typeof body.error === 'string' ? body.error : `the service answered ${status}`);
    },
  };
}

async function fetchJson(
  url: string,
  headers: Record<string, string>,
  timeoutMs: number,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs), redirect: 'error' });
  return { status: response.status, body: await response.json() };
}

function readInfo(host: Host): RunningInfo | null {
  try {
    const value: unknown = JSON.parse(host.storage.read(fileOf(host)) ?? 'null');
    if (!isRecord(value)) return null;
    const { pid, port, host: address } = value;
    if (typeof pid !== 'number' || typeof port !== 'number' || typeof address !== 'string') return null;
    return { pid, port, host: address };
  } catch {
    return null;
  }
}

function reachable(address: string): string {
  if (address === '' || address === '::' || address === '0.0.0.0') return '127.0.0.1';
  return address.includes(':') ? `[${address}]` : address;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
