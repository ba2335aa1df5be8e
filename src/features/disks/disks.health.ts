import type { Reasons } from '../../core/reasons.ts';
import type { Health } from './disks.schema.ts';
import type { DriveReading } from './smart/drive-reading.ts';

/** A drive that sleeps has its reading of before. */
type States = ReadonlyMap<string, { reading?: DriveReading | null }>;

/** The health of those of these drives that have reported it. */
export function healthOf(names: Iterable<string>, states: States): Map<string, Health> {
  const health = new Map<string, Health>();
  for (const name of names) {
    const { reading } = states.get(name) ?? {};
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

/** Says why drives have no health, and why others lack a value. `others`: devices that are not drives. */
export function explainHealth<Drive extends { name: string }>(
  { drives, others, health }: { drives: readonly Drive[]; others: readonly string[]; health: Map<string, Health> },
  why: (drive: Drive) => WhyNot,
  reasons: Reasons,
): void {
  const path = 'devices[].health';
  if (others.length > 0) reasons.inherent(path, `${several(others)}: only physical drives report their health`);
  const silent = Map.groupBy(
    drives.filter(({ name }) => !health.has(name)),
    why,
  );
  for (const [{ because, mendable }, of] of silent)
    reasons[mendable ? 'missing' : 'inherent'](path, `${several(of.map(({ name }) => name))}: ${because}`);
  for (const [field, because] of fields) {
    const names = [...health].filter(([, reported]) => reported[field] === null).map(([name]) => name);
    if (names.length > 0) reasons.inherent(`${path}.${field}`, `${several(names)}: ${because}`);
  }
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

/** A list of names for a sentence, shortened after three. */
export function several(names: readonly string[]): string {
  return names.length <= 4 ? names.join(', ') : `${names.slice(0, 3).join(', ')} and ${names.length - 3} others`;
}
