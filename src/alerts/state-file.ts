import path from 'node:path';
import type { Host } from '../host/host.ts';
import { isObject } from '../lib/values.ts';
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
  const saved = new Map<string, SavedAlert>();
  try {
    const value: unknown = JSON.parse(host.storage.read(fileOf(host)) ?? '{}');
    const alerts = isObject(value) && isObject(value.alerts) ? value.alerts : {};
    for (const [id, alert] of Object.entries(alerts)) if (isSavedAlert(alert)) saved.set(id, alert);
  } catch {
    // Damaged by a power cut or by hand: notifications are repeated once.
  }
  return saved;
}

export function writeSavedAlerts(host: Pick<Host, 'storage' | 'paths'>, alerts: ReadonlyMap<string, SavedAlert>): void {
  if (alerts.size === 0) host.storage.remove(fileOf(host));
  else host.storage.write(fileOf(host), `${JSON.stringify({ alerts: Object.fromEntries(alerts) })}\n`);
}

function isSavedAlert(value: unknown): value is SavedAlert {
  if (!isObject(value) || !isObject(value.episode) || !isObject(value.told)) return false;
  const { when, since, isActive, subjects, episode, told } = value;
  return (
    typeof when === 'string' &&
    typeof since === 'number' &&
    typeof isActive === 'boolean' &&
    Array.isArray(subjects) &&
    subjects.every((subject) => typeof subject === 'string') &&
    typeof episode.id === 'string' &&
    typeof episode.begun === 'number' &&
    (episode.ended === null || typeof episode.ended === 'number') &&
    typeof episode.isMoment === 'boolean' &&
    typeof episode.text === 'string' &&
    (episode.value === null || typeof episode.value === 'number') &&
    Object.values(told).every(
      (one) =>
        isObject(one) &&
        typeof one.episode === 'string' &&
        typeof one.at === 'number' &&
        (one.phase === 'begun' || one.phase === 'ended'),
    )
  );
}
