import type { ModulePayloads } from '@hostler/client/client.ts';
import { useMemo } from 'preact/hooks';
import type { ServiceUnit } from '../../../src/features/services/services.schema.ts';
import { figureColumn, momentColumn, textColumn } from '../../components/common-columns.tsx';
import { filtered } from '../../components/filter.tsx';
import { Listing } from '../../components/listing.tsx';
import { Nothing } from '../../components/reasons.tsx';
import { Segments } from '../../components/segments.tsx';
import { useAddressed } from '../../components/use-route-selection.ts';
import type { Column } from '../../components/virtual-table.tsx';
import { addressWith, Link, parameter, setParameters } from '../../shell/route.tsx';
import { bytes, duration } from '../../units.ts';
import { ServiceDetails } from './services-details.tsx';

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
  momentColumn('since', 'Since', ({ since }) => since),
  figureColumn('memory', 'Memory', ({ memory }) => memory, bytes),
  figureColumn('cpu', 'CPU time', ({ cpu_time }) => cpu_time, duration, { secondary: true }),
  figureColumn('restarts', 'Restarts', ({ restarts }) => restarts, undefined, { secondary: true }),
  textColumn('enabled', 'Start-up', ({ enabled }) => enabled, 'narrow'),
  {
    ...textColumn('description', 'Description', ({ description }) => description, 'wide'),
    value: ({ description }) => description.toLowerCase(),
  },
];

/** As the settings and orders name it. */
const fullName = ({ name, scope }: Pick<ServiceUnit, 'name' | 'scope'>) => (scope === 'user' ? `user:${name}` : name);

export function Services({ data: services }: { data: ModulePayloads['services'] }) {
  const wanted = useAddressed('filter');
  const unit = parameter('unit');
  const onlyFailed = parameter('only') === 'failed';
  const { units } = services;
  const rows = useMemo(() => {
    const among = onlyFailed ? units.filter(({ active_state }) => active_state === 'failed') : units;
    return filtered(among, wanted.value, textOf);
  }, [units, wanted.value, onlyFailed]);
  if (units.length === 0) return <Nothing module="services" icon="services" />;
  const { counts, manager, state, truncated } = services;
  const chosen = units.find((each) => fullName(each) === unit);
  const counted =
    manager === null ? null : (
      <p class="small">
        {counts.active} active, {counts.inactive} inactive, {counts.failed} failed
        {state === null ? '' : `; the machine is ${state}`}.{truncated ? ` The first ${units.length} are shown.` : ''}
      </p>
    );
  return (
    <Listing
      wanted={wanted}
      placeholder="Filter by name, state, description…"
      of={units.length}
      tools={
        <>
          <Segments
            legend="Which services"
            of={[
              ['all', 'All'],
              ['failed', `Failed (${counts.failed})`],
            ]}
            chosen={onlyFailed ? 'failed' : 'all'}
            choose={(only) => setParameters({ only: only === 'failed' ? only : null })}
          />
          {counted}
        </>
      }
      rows={rows}
      columns={columns}
      rowKey={fullName}
      chosen={(each) => fullName(each) === unit}
      sortedBy="state"
      orderKey="services"
      label="Services"
      details={unit === null ? null : <ServiceDetails key={unit} name={unit} unit={chosen} />}
    />
  );
}

const textOf = (unit: ServiceUnit) =>
  `${fullName(unit)} ${unit.active_state} ${unit.sub_state} ${unit.enabled} ${unit.description}`;
