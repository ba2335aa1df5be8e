import type { ProcessDetails as ProcessDetailsResponse } from '../../../src/features/processes/processes.schema.ts';
import { type Offer, OrderRow } from '../../components/action-row.tsx';
import { DetailsPane } from '../../components/details-pane.tsx';
import { type Fact, Facts, Pairs } from '../../components/fact-list.tsx';
import { When } from '../../components/time.tsx';
import { addressWith, Link } from '../../shell/route.tsx';
import { obstacle } from '../../state/availability.ts';
import { dataOf, useModule } from '../../state/live.ts';
import { useLoaded } from '../../state/loaded.ts';
import { send, session } from '../../state/session.ts';
import { bytes, percent } from '../../units.ts';
import type { Process } from './process-tree.ts';

interface ProcessDetailsProps {
  pid: number;
  /** undefined: ended, or unknown. */
  process: Process | undefined;
  all: readonly Process[];
}

export function ProcessDetails({ pid, process, all }: ProcessDetailsProps) {
  const networks = useModule('networks');
  const total = dataOf('memory').value?.virtual?.total ?? null;
  const sockets = networks?.connections.filter((each) => each.pid === pid) ?? [];
  return (
    <DetailsPane kind="Process" title={process?.name ?? `Process ${pid}`} parameter="pid">
      {process === undefined ? (
        <p class="quiet">This process is not running. It may have ended.</p>
      ) : (
        <>
          <Facts of={[...factsOf(process, total), ...family(process, all)]} />
          <ProcessControl process={process} />
          <CommandLine pid={pid} />
        </>
      )}
      {sockets.length === 0 ? null : (
        <>
          <h3>
            <Link to={`/network?group=none&filter=${pid}`}>
              {sockets.length} {sockets.length === 1 ? 'connection' : 'connections'}
            </Link>
          </h3>
          <Pairs
            of={sockets.slice(0, 12).map(({ fd, laddr, raddr, status }) => ({
              key: `${fd} ${laddr} ${raddr}`,
              name: <span class="code">{raddr === null ? laddr : `${laddr} → ${raddr}`}</span>,
              value: <span class="quiet">{status === 'NONE' ? '' : status.toLowerCase()}</span>,
            }))}
          />
        </>
      )}
    </DetailsPane>
  );
}

function family({ id, parent_id }: Process, all: readonly Process[]): Fact[] {
  const parent = all.find((each) => each.id === parent_id);
  const children = all.filter((each) => each.parent_id === id);
  return [
    [
      'Started by',
      parent === undefined ? null : (
        <>
          <Link to={addressWith({ pid: String(parent.id) })}>{parent.name}</Link> <span class="quiet">{parent.id}</span>
        </>
      ),
    ],
    [
      'Child processes',
      children.length === 0 ? null : (
        <>
          {children.slice(0, mostChildren).map(({ id: child, name }, at) => (
            <span key={child}>
              {at === 0 ? '' : ', '}
              <Link to={addressWith({ pid: String(child) })}>{name}</Link>
            </span>
          ))}
          {children.length > mostChildren ? ` and ${children.length - mostChildren} more` : ''}
        </>
      ),
    ],
  ];
}

const mostChildren = 8;

/** On demand: it may contain passwords and needs its own permission. */
function CommandLine({ pid }: { pid: number }) {
  const may = ['command', 'admin'].some((scope) => session.value?.scopes.includes(scope));
  const reason = may ? obstacle('GET_PROCESS') : 'The token you signed in with lacks the scope command or admin.';
  const read = async () => (await send('GET', `/api/processes/details?id=${pid}`)) as ProcessDetailsResponse;
  const { data, problem, refresh } = useLoaded(read, { onDemand: true });
  if (problem !== '') return <p class="problem">{problem}</p>;
  if (data?.command_line === null) return <p class="quiet">This process has no command line.</p>;
  if (data !== null)
    return (
      <>
        <h3>Command line</h3>
        <ol class="arguments">
          {data.command_line.map((argument, at) => (
            <li key={at} class="code">
              {argument}
            </li>
          ))}
        </ol>
      </>
    );
  return (
    <p class="buttons">
      <button type="button" class="plain" disabled={reason !== null} title={reason ?? undefined} onClick={refresh}>
        Show command line
      </button>
    </p>
  );
}

function factsOf(process: Process, total: number | null): Fact[] {
  const { id, cpu_usage, memory_usage, username, status, path, working_directory, created } = process;
  const memory = memory_usage === null || total === null ? '' : ` (${bytes((memory_usage / 100) * total)})`;
  return [
    ['PID', id],
    ['CPU', `${percent(cpu_usage, 1)} of one core`],
    ['Memory', memory_usage === null ? null : `${percent(memory_usage, 1)}${memory}`],
    ['User', username],
    ['State', status],
    ['Program', path],
    ['Directory', working_directory],
    ['Running since', <When at={created === null ? null : created * 1000} />],
  ];
}

const offer = (signal: string, label: string, text: string, isFor: Offer<Process>['isFor']): Offer<Process> => ({
  event: 'PROCESS_SIGNAL',
  label,
  text,
  data: { signal },
  isGrave: signal === 'kill',
  isFor,
});
const isStopped = ({ status }: Process) => status === 'stopped';

const orders: readonly Offer<Process>[] = [
  offer('terminate', 'End', 'The process is requested to end, and can save its work.', () => true),
  offer('kill', 'Kill', 'The process ends at once. Unsaved work is lost.', () => true),
  offer(
    'stop',
    'Stop',
    'The process is suspended and does not respond until it is continued.',
    (process) => !isStopped(process),
  ),
  offer('continue', 'Continue', 'The process continues where it was stopped.', isStopped),
];

/** Actions of a process. They apply only to the process that was shown when the button was pressed. */
function ProcessControl({ process }: { process: Process }) {
  if (session.value?.scopes.includes('processes') !== true) return null;
  const { id, start_time, name } = process;
  const offers = orders.filter(({ isFor }) => isFor(process));
  return <OrderRow to={`${name} (${id})`} offers={offers} data={{ id, start_time }} />;
}
