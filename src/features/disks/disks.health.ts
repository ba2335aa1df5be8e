import type { Reason } from '../../core/reasons.ts';
import type { Health } from './disks.schema.ts';
import type { DriveReading } from './smart/drive-reading.ts';

/** A drive that sleeps has its reading of before. */
type State = { kind: string; reading?: DriveReading | null };

/** The health of the drives that have reported it. */
export function healthOf(states: Iterable<[string, State]>): Map<string, Health> {
  const health = new Map<string, Health>();
  for (const [name, { reading }] of states) {
    if (!reading) continue;
    const { attributes: _, ...reported } = reading;
    health.set(name, reported);
  }
  return health;
}

export interface WhyNot {
  because: string;
  mendable: boolean;
}

/** Why drives have no health, and why others lack a value. */
export function explainHealth<Drive extends { name: string }>(
  drives: readonly Drive[],
  why: (drive: Drive) => WhyNot,
  health: ReadonlyMap<string, Health>,
): Reason[] {
  const silent = Map.groupBy(
    drives.filter(({ name }) => !health.has(name)),
    why,
  );
  const field = 'devices[].health';
  return [
    ...[...silent].map(([{ because, mendable }, of]) => ({
      field,
      reason: `${several(of.map(({ name }) => name))}: ${because}`,
      mendable,
    })),
    ...unsaid(health),
  ];
}

export const noDrives = (others: readonly string[]) => `${several(others)}: only physical drives report their health`;

const fields: [keyof Health, string][] = [
  ['passed', 'does not report whether it is healthy'],
  ['percentage_used', 'does not report its wear; NVMe drives do'],
  ['power_on_hours', 'does not report its power-on hours'],
  ['temperature', 'does not report its temperature with its health'],
  ['reallocated', 'does not count replaced sectors; ATA drives do'],
  ['pending', 'does not count unreadable sectors; ATA drives do'],
  ['media_errors', 'does not count unrecovered errors'],
];

/** Reasons for the null values of drives that report their health. */
function unsaid(health: ReadonlyMap<string, Health>): Reason[] {
  return fields.flatMap(([field, because]) => {
    const names = [...health].filter(([, reported]) => reported[field] === null).map(([name]) => name);
    return names.length === 0
      ? []
      : [{ field: `devices[].health.${field}`, reason: `${several(names)}: ${because}`, mendable: false }];
  });
}

/** A list of names for a sentence, shortened after three. */
export function several(names: readonly string[]): string {
  return names.length <= 4 ? names.join(', ') : `${names.slice(0, 3).join(', ')} and ${names.length - 3} others`;
}
