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

/** Why something about the health of drives is not known. */
export interface HealthSentence {
  field: string;
  sentence: string;
  mendable: boolean;
}

const fields: [keyof Health, string][] = [
  ['passed', 'does not say whether it is healthy'],
  ['percentage_used', 'does not say how worn it is; NVMe drives do'],
  ['power_on_hours', 'does not count its hours'],
  ['temperature', 'does not report its temperature with its health'],
  ['reallocated', 'does not count replaced sectors; ATA drives do'],
  ['pending', 'does not count unreadable sectors; ATA drives do'],
  ['media_errors', 'does not count what could not be recovered'],
];

/** What drives that do tell their health do not say. */
export function unsaid(health: ReadonlyMap<string, Health>): HealthSentence[] {
  return fields.flatMap(([field, because]) => {
    const names = [...health].filter(([, told]) => told[field] === null).map(([name]) => name);
    return names.length === 0
      ? []
      : [{ field: `devices[].health.${field}`, sentence: `${several(names)}: ${because}`, mendable: false }];
  });
}

/** Names in a sentence; of many only the first. */
export function several(names: readonly string[]): string {
  return names.length <= 4 ? names.join(', ') : `${names.slice(0, 3).join(', ')} and ${names.length - 3} others`;
}
