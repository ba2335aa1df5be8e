import path from 'node:path';
import type { TransportParts } from '../../core/transport.ts';
import { isObject } from '../../lib/values.ts';
import type { ComponentConfig } from './discovery.ts';

/** What this machine has announced, stored over restarts so that removed entities can be withdrawn. */
export interface Announced {
  /** This machine's part of every topic. */
  id: string;
  /** An earlier style must be withdrawn. null: nothing announced yet. */
  style: 'device' | 'entity' | null;
  /** First part of the topics at the time of the announcement. */
  root: string;
  /** By module or action, and by key. */
  groups: Record<string, Record<string, ComponentConfig>>;
}

type Parts = Pick<TransportParts['host'], 'storage' | 'paths'>;

export const announcedFile = ({ paths }: Parts) => path.join(paths.state, 'mqtt.json');
export const passwordFile = ({ paths }: Parts) => path.join(paths.state, 'mqtt-password');

/** Routes of the local socket. */
export const mqttRoutes = { status: '/mqtt', reconnect: '/mqtt/reconnect', forget: '/mqtt/forget' } as const;

/** null: missing or not readable. */
export function readAnnounced(host: Parts): Announced | null {
  try {
    const value: unknown = JSON.parse(host.storage.read(announcedFile(host)) ?? 'null');
    if (!isObject(value) || typeof value.id !== 'string' || !isObject(value.groups)) return null;
    const { style, root } = value;
    return {
      id: value.id,
      style: style === 'device' || style === 'entity' ? style : null,
      root: typeof root === 'string' ? root : 'hostler',
      groups: Object.fromEntries(
        Object.entries(value.groups).flatMap(([name, group]) => (isObject(group) ? [[name, configsIn(group)]] : [])),
      ),
    };
  } catch {
    return null;
  }
}

export function writeAnnounced(host: Parts, announced: Announced): void {
  host.storage.write(announcedFile(host), `${JSON.stringify(announced)}\n`);
}

function configsIn(group: Record<string, unknown>): Record<string, ComponentConfig> {
  return Object.fromEntries(
    Object.entries(group).flatMap(([key, config]) =>
      isObject(config) && typeof config.platform === 'string' && typeof config.unique_id === 'string'
        ? [[key, { ...config, platform: config.platform, unique_id: config.unique_id }]]
        : [],
    ),
  );
}
