import type { Health } from './disks.schema.ts';
import type { DriveReading } from './smart/drive-reading.ts';

export const toHealth = (reading: DriveReading): Health => ({
  passed: reading.passed,
  percentage_used: reading.percentageUsed,
  power_on_hours: reading.powerOnHours,
  temperature: reading.celsius,
  reallocated: reading.reallocated,
  pending: reading.pending,
  media_errors: reading.mediaErrors,
  critical_warnings: reading.warnings,
  read_at: reading.readAt,
});

/** Why a health value is unknown. */
export interface HealthSentence {
  field: string;
  sentence: string;
  mendable: boolean;
}

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
export function unsaid(health: ReadonlyMap<string, Health>): HealthSentence[] {
  return fields.flatMap(([field, because]) => {
    const names = [...health].filter(([, reported]) => reported[field] === null).map(([name]) => name);
    return names.length === 0
      ? []
      : [{ field: `devices[].health.${field}`, sentence: `${several(names)}: ${because}`, mendable: false }];
  });
}

/** A list of names for a sentence, shortened after three. */
export function several(names: readonly string[]): string {
  return names.length <= 4 ? names.join(', ') : `${names.slice(0, 3).join(', ')} and ${names.length - 3} others`;
}
