import path from 'node:path';
import { readObject } from '../../core/json/read-object.ts';
import type { TransportParts } from '../../core/transport.ts';
import { hasFields, isObject } from '../../lib/values.ts';
import type { ComponentConfig } from './discovery.ts';
import { defaultRoot } from './topics.ts';

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
  const value = readObject(host, announcedFile(host));
  if (!hasFields(value, { id: 'string', groups: 'object' })) return null;
  const { id, style, root, groups } = value;
  return {
    id,
    style: style === 'device' || style === 'entity' ? style : null,
    root: typeof root === 'string' ? root : defaultRoot,
    groups: Object.fromEntries(
      Object.entries(groups).flatMap(([name, group]) => (isObject(group) ? [[name, configsIn(group)]] : [])),
    ),
  };
}

export function writeAnnounced(host: Parts, announced: Announced): void {
  host.storage.write(announcedFile(host), `${JSON.stringify(announced)}\n`);
}

function configsIn(group: Record<string, unknown>): Record<string, ComponentConfig> {
  return Object.fromEntries(
    Object.entries(group).flatMap(([key, config]) =>
      hasFields(config, { platform: 'string', unique_id: 'string' }) ? [[key, config]] : [],
    ),
  );
}
