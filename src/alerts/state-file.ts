import path from 'node:path';
import type { Host } from '../host/host.ts';
import { isObject } from '../lib/values.ts';
import type { WayMemory } from './notification-state.ts';
import type { Episode } from './rule-state.ts';

/** What outlives the process: who was told what. Else everybody would be told again after each start. */
export interface KeptAlert {
  /** The rule's condition as JSON: another one is another alert. */
  when: string;
  since: number;
  isActive: boolean;
  subjects: readonly string[];
  episode: Episode;
  told: Record<string, NonNullable<WayMemory['told']>>;
}

const fileOf = ({ paths }: Pick<Host, 'paths'>) => path.join(paths.state, 'alerts.json');

export function readKeptAlerts(host: Pick<Host, 'storage' | 'paths'>): Map<string, KeptAlert> {
  const kept = new Map<string, KeptAlert>();
  try {
    const value: unknown = JSON.parse(host.storage.read(fileOf(host)) ?? '{}');
    const alerts = isObject(value) && isObject(value.alerts) ? value.alerts : {};
    for (const [id, alert] of Object.entries(alerts)) if (isKept(alert)) kept.set(id, alert);
  } catch {
    // A file that a power cut tore, or that somebody wrote into: everybody is told once more.
  }
  return kept;
}

export function writeKeptAlerts(host: Pick<Host, 'storage' | 'paths'>, alerts: ReadonlyMap<string, KeptAlert>): void {
  if (alerts.size === 0) host.storage.remove(fileOf(host));
  else host.storage.write(fileOf(host), `${JSON.stringify({ alerts: Object.fromEntries(alerts) })}\n`);
}

function isKept(value: unknown): value is KeptAlert {
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
