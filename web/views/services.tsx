import { useMemo } from 'preact/hooks';
import type { ServiceUnit } from '../../src/modules/services/services.schema.ts';
import { Filter, filtered } from '../parts/filter.tsx';
import { Absent, Reasons } from '../parts/reasons.tsx';
import { When } from '../parts/time.tsx';
import { useAddressed } from '../parts/use-addressed.ts';
import { type Column, VirtualTable } from '../parts/virtual-table.tsx';
import { addressWith, Link, parameter, setParameters } from '../route.tsx';
import { useModule } from '../state/live.ts';
import { bytes, duration } from '../units.ts';
import { ServiceDetails } from './service-details.tsx';

/** Failed ones first, then those on their way, those that run, and the others. */
const ranks: Record<string, number> = { failed: 4, active: 2, inactive: 1 };

const columns: Column<ServiceUnit>[] = [
  {
    key: 'name',
    title: 'Service',
    value: ({ name }) => name.toLowerCase(),
    show: (unit) => <Link to={addressWith({ unit: fullName(unit) })}>{fullName(unit)}</Link>,
    width: 'wide',
  },
  {
    key: 'state',
    title: 'State',
    value: ({ active_state }) => ranks[active_state] ?? 3,
    show: ({ active_state, sub_state }) => (
      <span class={active_state === 'failed' ? 'problem' : undefined}>
        {active_state}
        {active_state === sub_state ? null : <span class="secondary"> ({sub_state})</span>}
      </span>
    ),
    width: 'middle',
  },
  {
    key: 'since',
    title: 'Since',
    value: ({ since }) => since,
    show: ({ since }) => <When at={since === null ? null : since * 1000} />,
    number: true,
    secondary: true,
    width: 'middle',
  },
  {
    key: 'memory',
    title: 'Memory',
    value: ({ memory }) => memory,
    show: ({ memory }) => bytes(memory),
    number: true,
    width: 'narrow',
  },
  {
    key: 'cpu',
    title: 'CPU time',
    value: ({ cpu_time }) => cpu_time,
    show: ({ cpu_time }) => duration(cpu_time),
    number: true,
    secondary: true,
    width: 'narrow',
  },
  {
    key: 'restarts',
    title: 'Restarts',
    value: ({ restarts }) => restarts,
    show: ({ restarts }) => restarts ?? '–',
    number: true,
    secondary: true,
    width: 'narrow',
  },
  {
    key: 'enabled',
    title: 'Start-up',
    value: ({ enabled }) => enabled,
    show: ({ enabled }) => enabled ?? '–',
    secondary: true,
    width: 'narrow',
  },
  {
    key: 'description',
    title: 'Description',
    value: ({ description }) => description.toLowerCase(),
    show: ({ description }) => description,
    secondary: true,
    width: 'wide',
  },
];

/** As the settings and orders name it. */
export const fullName = ({ name, scope }: Pick<ServiceUnit, 'name' | 'scope'>) =>
  scope === 'user' ? `user:${name}` : name;

export function Services() {
  const services = useModule('services');
  const wanted = useAddressed('filter');
  const unit = parameter('unit');
  const onlyFailed = parameter('only') === 'failed';
  const units = services?.units ?? [];
  const rows = useMemo(() => {
    const among = onlyFailed ? units.filter(({ active_state }) => active_state === 'failed') : units;
    return filtered(among, wanted.value, textOf);
  }, [units, wanted.value, onlyFailed]);
  if (services === null) return <Absent module="services" whole />;
  const { counts, manager, state, truncated } = services;
  const chosen = units.find((each) => fullName(each) === unit);
  return (
    <div class="fill">
      <div class="toolbar">
        <Filter
          value={wanted}
          placeholder="Filter by name, state, description…"
          shown={rows.length}
          of={units.length}
        />
        <fieldset class="segments">
          <legend class="spoken">Which services</legend>
          {([null, 'failed'] as const).map((only) => (
            <button
              key={only}
              type="button"
              aria-pressed={onlyFailed === (only === 'failed')}
              onClick={() => setParameters({ only })}
            >
              {only === null ? 'All' : `Failed (${counts.failed})`}
            </button>
          ))}
        </fieldset>
        {manager === null ? null : (
          <p class="small">
            {counts.active} active, {counts.inactive} inactive, {counts.failed} failed
            {state === null ? '' : `; the machine is ${state}`}.
            {truncated ? ` The first ${units.length} are shown.` : ''}
          </p>
        )}
      </div>
      {units.length === 0 ? <Reasons module="services" /> : null}
      <div class={unit === null ? 'split' : 'split open'}>
        <VirtualTable
          rows={rows}
          columns={columns}
          rowKey={fullName}
          chosen={(each) => fullName(each) === unit}
          sortedBy="state"
          kept="services"
          label="Services"
        />
        {unit === null ? null : (
          <ServiceDetails key={unit} name={unit} unit={chosen} close={() => setParameters({ unit: null })} />
        )}
      </div>
    </div>
  );
}

const textOf = (unit: ServiceUnit) =>
  `${fullName(unit)} ${unit.active_state} ${unit.sub_state} ${unit.enabled} ${unit.description}`;
