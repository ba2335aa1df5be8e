import { useMemo } from 'preact/hooks';
import type { ModulePayloads } from '../../src/client/client.ts';
import { Filter, filtered } from '../parts/filter.tsx';
import { Icon } from '../parts/icon.tsx';
import { Absent, Reasons } from '../parts/reasons.tsx';
import { When } from '../parts/time.tsx';
import { useAddressed } from '../parts/use-addressed.ts';
import { type Column, VirtualTable } from '../parts/virtual-table.tsx';
import { addressWith, Link, parameter, setParameters } from '../route.tsx';
import { useModule } from '../state/live.ts';
import { bytes, percent, rate } from '../units.ts';
import { type Container, ContainerDetails, stateInWords } from './container-details.tsx';

type Engine = ModulePayloads['containers']['engines'][number];

const columns: Column<Container>[] = [
  {
    key: 'name',
    title: 'Name',
    value: ({ name }) => name.toLowerCase(),
    show: ({ id, name }) => <Link to={addressWith({ container: id })}>{name}</Link>,
    width: 'wide',
  },
  {
    key: 'state',
    title: 'State',
    value: stateInWords,
    show: (container) => <span class={isBad(container) ? 'problem' : ''}>{stateInWords(container)}</span>,
    width: 'middle',
  },
  {
    key: 'cpu',
    title: 'CPU',
    value: ({ cpu_usage }) => cpu_usage,
    show: ({ cpu_usage }) => percent(cpu_usage, 1),
    number: true,
    width: 'narrow',
  },
  {
    key: 'memory',
    title: 'Memory',
    value: ({ memory_used }) => memory_used,
    show: ({ memory_used }) => bytes(memory_used),
    number: true,
    width: 'narrow',
  },
  {
    key: 'network',
    title: 'Network',
    value: ({ network }) => sum(network?.received_per_second, network?.sent_per_second),
    show: ({ network }) => rate(sum(network?.received_per_second, network?.sent_per_second)),
    number: true,
    secondary: true,
    width: 'narrow',
  },
  {
    key: 'disk',
    title: 'Disk',
    value: ({ disk }) => sum(disk?.read_per_second, disk?.written_per_second),
    show: ({ disk }) => rate(sum(disk?.read_per_second, disk?.written_per_second)),
    number: true,
    secondary: true,
    width: 'narrow',
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
    key: 'image',
    title: 'Image',
    value: ({ image }) => image,
    show: ({ image }) => image,
    secondary: true,
    width: 'wide',
  },
];

/** Every container of every engine, and one of them in detail. */
export function Containers() {
  const payload = useModule('containers');
  const wanted = useAddressed('filter');
  const id = parameter('container');
  const all = payload?.containers ?? none;
  const rows = useMemo(() => filtered(all, wanted.value, textOf), [all, wanted.value]);
  if (payload === null) return <Absent module="containers" whole />;
  const { engines } = payload;
  if (engines.length === 0)
    return (
      <section class="card empty">
        <Icon name="info" />
        <Reasons module="containers" fields={['engines']} />
      </section>
    );
  return (
    <div class="fill">
      <div class="toolbar">
        <Filter
          value={wanted}
          placeholder="Filter by name, image, state, project…"
          shown={rows.length}
          of={all.length}
        />
        <p class="small">{engines.map(engineInWords).join(' · ')}</p>
      </div>
      {engines.map(({ id: engine, problem }) =>
        problem === null ? null : (
          <p key={engine} class="notice">
            {problem}
          </p>
        ),
      )}
      <Reasons module="containers" fields={['containers']} />
      <div class={id === null ? 'split' : 'split open'}>
        <VirtualTable
          rows={rows}
          columns={columns}
          rowKey={(container) => container.id}
          chosen={(container) => container.id === id}
          sortedBy="cpu"
          kept="containers"
          label="Containers"
        />
        {id === null ? null : (
          <ContainerDetails
            key={id}
            container={all.find((container) => container.id === id)}
            close={() => setParameters({ container: null })}
          />
        )}
      </div>
    </div>
  );
}

const none: readonly Container[] = [];

const engineInWords = ({ id, version }: Engine) => (version === null ? id : `${id} ${version}`);

const isBad = ({ health, oom, state }: Container) => health === 'unhealthy' || (oom && state === 'exited');

/** null: neither is known. */
function sum(a: number | null | undefined, b: number | null | undefined): number | null {
  return a === null || a === undefined || b === null || b === undefined ? null : a + b;
}

const textOf = (container: Container) => {
  const { name, image, engine, compose_project, compose_service, id } = container;
  return `${name} ${image} ${stateInWords(container)} ${engine} ${compose_project ?? ''} ${compose_service ?? ''} ${id}`;
};
