import type { Services, ServiceUnit } from './services.schema.ts';

export const noServices: Services = {
  manager: null,
  state: null,
  user_state: null,
  counts: { active: 0, inactive: 0, failed: 0, changing: 0 },
  truncated: false,
  units: [],
};

/** More than any machine has; the JSON of that many is about 2 MB. */
const mostUnits = 4096;

export const hasFailed = ({ active_state }: Pick<ServiceUnit, 'active_state'>) => active_state === 'failed';

export const failedFirst = (units: readonly ServiceUnit[]) => [
  ...units.filter(hasFailed),
  ...units.filter((unit) => !hasFailed(unit)),
];

/** In this order. */
export function listUnits(units: readonly ServiceUnit[]): Pick<Services, 'counts' | 'truncated' | 'units'> {
  const counts = { active: 0, inactive: 0, failed: 0, changing: 0 };
  for (const { active_state } of units) counts[kindOf(active_state)] += 1;
  return { counts, truncated: units.length > mostUnits, units: units.slice(0, mostUnits) };
}

function kindOf(state: string): keyof Services['counts'] {
  if (state === 'active' || state === 'inactive' || state === 'failed') return state;
  return state === 'maintenance' ? 'inactive' : 'changing';
}
