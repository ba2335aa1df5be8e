import type { ModulePayloads } from '@hostler/client/client.ts';
import { useMemo } from 'preact/hooks';
import { figureColumn, momentColumn, shareColumn, textColumn } from '../../components/common-columns.tsx';
import { filtered } from '../../components/filter.tsx';
import { Listing } from '../../components/listing.tsx';
import { Nothing, Reasons } from '../../components/reasons.tsx';
import { useAddressed } from '../../components/use-route-selection.ts';
import type { Column } from '../../components/virtual-table.tsx';
import { addressWith, Link, parameter } from '../../shell/route.tsx';
import { bytes, rate } from '../../units.ts';
import { type Container, ContainerDetails, stateInWords } from './containers-details.tsx';

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
  shareColumn('cpu', 'CPU', ({ cpu_usage }) => cpu_usage),
  figureColumn('memory', 'Memory', ({ memory_used }) => memory_used, bytes),
  figureColumn(
    'network',
    'Network',
    ({ network }) => network && sum(network.received_per_second, network.sent_per_second),
    rate,
    { secondary: true },
  ),
  figureColumn('disk', 'Disk', ({ disk }) => disk && sum(disk.read_per_second, disk.written_per_second), rate, {
    secondary: true,
  }),
  momentColumn('since', 'Since', ({ since }) => since),
  textColumn('image', 'Image', ({ image }) => image, 'wide'),
];

/** Every container of every engine, and one of them in detail. */
export function Containers({ data: payload }: { data: ModulePayloads['containers'] }) {
  const wanted = useAddressed('filter');
  const id = parameter('container');
  const { containers: all, engines } = payload;
  const rows = useMemo(() => filtered(all, wanted.value, textOf), [all, wanted.value]);
  if (engines.length === 0) return <Nothing module="containers" icon="container" fields={['engines']} />;
  const problems = engines.map(({ id: engine, problem }) =>
    problem === null ? null : (
      <p key={engine} class="notice">
        {problem}
      </p>
    ),
  );
  return (
    <Listing
      wanted={wanted}
      placeholder="Filter by name, image, state, project…"
      of={all.length}
      tools={<p class="small">{engines.map(engineInWords).join(' · ')}</p>}
      notices={
        <>
          {problems}
          <Reasons module="containers" fields={['containers']} />
        </>
      }
      rows={rows}
      columns={columns}
      rowKey={(container) => container.id}
      chosen={(container) => container.id === id}
      sortedBy="cpu"
      orderKey="containers"
      label="Containers"
      details={
        id === null ? null : <ContainerDetails key={id} container={all.find((container) => container.id === id)} />
      }
    />
  );
}

const engineInWords = ({ id, version }: Engine) => (version === null ? id : `${id} ${version}`);

const isBad = ({ health, oom, state }: Container) => health === 'unhealthy' || (oom && state === 'exited');

/** null: neither is known. */
const sum = (a: number | null, b: number | null) => (a === null || b === null ? null : a + b);

const textOf = (container: Container) => {
  const { name, image, engine, compose_project, compose_service, id } = container;
  return `${name} ${image} ${stateInWords(container)} ${engine} ${compose_project ?? ''} ${compose_service ?? ''} ${id}`;
};
