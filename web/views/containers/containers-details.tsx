import type { ModulePayloads } from '@hostler/client/client.ts';
import type { ContainerLogs } from '../../../src/features/containers/containers.schema.ts';
import { type Offer, OrderRow } from '../../components/action-row.tsx';
import { DetailsPane, LogOnDemand } from '../../components/details-pane.tsx';
import { Facts } from '../../components/fact-list.tsx';
import { Unknown } from '../../components/reasons.tsx';
import { send, session } from '../../state/session.ts';
import { bytes, momentOf, percent, rate } from '../../units.ts';

export type Container = ModulePayloads['containers']['containers'][number];

/** One container: facts, actions and log. undefined: removed, or unknown. */
export function ContainerDetails({ container }: { container: Container | undefined }) {
  return (
    <DetailsPane kind="Container" title={container?.name ?? 'Container'} parameter="container">
      {container === undefined ? (
        <p class="quiet">This container is not in the list. It may have been removed.</p>
      ) : (
        <>
          <Facts of={factsOf(container)} />
          {isUp(container) ? (
            <Unknown
              module="containers"
              of={[
                ['CPU', 'containers[].cpu_usage', container.cpu_usage],
                ['memory', 'containers[].memory_used', container.memory_used],
                ['network', 'containers[].network', container.network],
                ['disk', 'containers[].disk', container.disk],
              ]}
            />
          ) : null}
          <Orders container={container} />
          <Output container={container} />
        </>
      )}
    </DetailsPane>
  );
}

const isUp = ({ state }: Container) => state === 'running' || state === 'paused';

/** The result of the health check, if there is one, instead of `running`. */
export function stateInWords({ state, health, exit_code, oom }: Container): string {
  if (state === 'running' && health !== null) return health;
  if (state !== 'exited') return state;
  return oom ? 'OOM killed' : `exited${exit_code === null ? '' : ` (${exit_code})`}`;
}

function factsOf(container: Container): [string, string | null][] {
  const { since, memory_used, memory_limit, network, disk, ports, restarts } = container;
  const limit = memory_limit === null ? '' : ` of ${bytes(memory_limit)}`;
  return [
    ['State', stateInWords(container)],
    ['Since', since === null ? null : momentOf(since, 'second', true)],
    ['Restarts', restarts === null ? null : String(restarts)],
    ['CPU', container.cpu_usage === null ? null : `${percent(container.cpu_usage, 1)} of one core`],
    ['Memory', memory_used === null ? null : `${bytes(memory_used)}${limit}`],
    ['Received', network === null ? null : `${bytes(network.received_bytes)}, ${rate(network.received_per_second)}`],
    ['Sent', network === null ? null : `${bytes(network.sent_bytes)}, ${rate(network.sent_per_second)}`],
    ['Read', disk === null ? null : `${bytes(disk.read_bytes)}, ${rate(disk.read_per_second)}`],
    ['Written', disk === null ? null : `${bytes(disk.written_bytes)}, ${rate(disk.written_per_second)}`],
    ['Ports', ports.length === 0 ? null : ports.map(portInWords).join(', ')],
    ['Project', container.compose_project],
    ['Service', container.compose_service],
    ['Image', container.image],
    ['Engine', container.engine],
    ['ID', container.id.slice(0, 12)],
  ];
}

const portInWords = ({ host_address, host_port, container_port, protocol }: Container['ports'][number]) =>
  `${host_address === '' ? '' : `${host_address.includes(':') ? `[${host_address}]` : host_address}:`}${host_port} → ${container_port}/${protocol}`;

const orders: readonly Offer<Container>[] = [
  { event: 'CONTAINER_START', label: 'Start', isFor: (container) => !isUp(container) },
  { event: 'CONTAINER_RESTART', label: 'Restart', text: 'The container is stopped and started again.', isFor: isUp },
  {
    event: 'CONTAINER_PAUSE',
    label: 'Pause',
    text: 'The processes of the container are suspended until it is resumed.',
    isFor: ({ state }) => state === 'running',
  },
  { event: 'CONTAINER_RESUME', label: 'Resume', isFor: ({ state }) => state === 'paused' },
  {
    event: 'CONTAINER_STOP',
    label: 'Stop',
    text: 'The container receives a stop signal, and is killed if it does not end.',
    isFor: isUp,
    isGrave: true,
  },
];

/** Longer than a container has to stop. */
const patienceMs = 120_000;

function Orders({ container }: { container: Container }) {
  if (session.value?.scopes.includes('containers') !== true) return null;
  const { name, engine, allowed } = container;
  const refusal = allowed ? null : 'To control this container, add it to the allowed containers in the settings.';
  return (
    <OrderRow
      to={name}
      offers={orders.filter(({ isFor }) => isFor(container))}
      data={{ name, engine }}
      refusal={refusal}
      timeoutMs={patienceMs}
    />
  );
}

function Output({ container: { name, engine } }: { container: Container }) {
  if (session.value?.scopes.includes('containers') !== true) return null;
  const read = async () => {
    const query = new URLSearchParams({ name, engine, lines: '200' });
    const { lines } = (await send('GET', `/api/containers/logs?${query}`)) as ContainerLogs;
    return { lines: lines.map(({ text }) => text) };
  };
  const none = 'The container has written no output.';
  return <LogOnDemand what="output" label={`Output of ${name}`} none={none} read={read} />;
}
