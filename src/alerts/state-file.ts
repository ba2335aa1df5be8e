import path from 'node:path';
import { readObject } from '../core/json/read-object.ts';
import type { Host } from '../host/host.ts';
import { hasFields, isObject } from '../lib/values.ts';
import type { WayMemory } from './notification-state.ts';
import type { Episode } from './rule-state.ts';

/** What must survive a restart: deliveries. Without it, each start would repeat them. */
export interface SavedAlert {
  /** The rule's condition as JSON; a different condition is a different alert. */
  when: string;
  since: number;
  isActive: boolean;
  subjects: readonly string[];
  episode: Episode;
  told: Record<string, NonNullable<WayMemory['delivered']>>;
}

const fileOf = ({ paths }: Pick<Host, 'paths'>) => path.join(paths.state, 'alerts.json');

export function readSavedAlerts(host: Pick<Host, 'storage' | 'paths'>): Map<string, SavedAlert> {
  // Where it was damaged, by a power cut or by hand, notifications are repeated once.
  const { alerts } = readObject(host, fileOf(host)) ?? {};
  const entries = Object.entries(isObject(alerts) ? alerts : {});
  return new Map(entries.flatMap(([id, alert]) => (isSavedAlert(alert) ? [[id, alert] as const] : [])));
}

export function writeSavedAlerts(host: Pick<Host, 'storage' | 'paths'>, alerts: ReadonlyMap<string, SavedAlert>): void {
  if (alerts.size === 0) host.storage.remove(fileOf(host));
  else host.storage.write(fileOf(host), `${JSON.stringify({ alerts: Object.fromEntries(alerts) })}\n`);
}

function isSavedAlert(value: unknown): value is SavedAlert {
  if (!hasFields(value, { when: 'string', since: 'number', isActive: 'boolean', subjects: 'list' })) return false;
  const { subjects, episode, told } = value;
  return (
    subjects.every((subject) => typeof subject === 'string') &&
    hasFields(episode, { id: 'string', begun: 'number', isMoment: 'boolean', text: 'string' }) &&
    [episode.ended, episode.value].every((one) => one === null || typeof one === 'number') &&
    isObject(told) &&
    Object.values(told).every(
      (one) => hasFields(one, { episode: 'string', at: 'number' }) && (one.phase === 'begun' || one.phase === 'ended'),
    )
  );
}
