import { useSignal } from '@preact/signals';
import type { ProcessDetails as ProcessDetailsResponse } from '../../../src/features/processes/processes.schema.ts';
import { DetailsPane } from '../../components/details-pane.tsx';
import { When } from '../../components/time.tsx';
import { addressWith, Link } from '../../shell/route.tsx';
import { obstacle } from '../../state/availability.ts';
import { dataOf, useModule } from '../../state/live.ts';
import { send, session } from '../../state/session.ts';
import { bytes, percent } from '../../units.ts';
import type { Process } from './process-tree.ts';
import { ProcessControl } from './processes-control.tsx';

interface ProcessDetailsProps {
  pid: number;
  /** undefined: ended, or unknown. */
  process: Process | undefined;
  all: readonly Process[];
  close(): void;
}

/** One process: facts and connections. */
export function ProcessDetails({ pid, process, all, close }: ProcessDetailsProps) {
  const networks = useModule('networks');
  const total = dataOf('memory').value?.virtual?.total ?? null;
  const sockets = networks?.connections.filter((each) => each.pid === pid) ?? [];
  return (
    <DetailsPane kind="Process" title={process?.name ?? `Process ${pid}`} close={close}>
      {process === undefined ? (
        <p class="quiet">This process is not running. It may have ended.</p>
      ) : (
        <dl>
          {factsOf(process, total).map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
          <div>
            <dt>Running since</dt>
            <dd>
              <When at={process.created === null ? null : process.created * 1000} />
            </dd>
          </div>
          <Family process={process} all={all} />
        </dl>
      )}
      {process === undefined ? null : <ProcessControl process={process} />}
      {process === undefined ? null : <CommandLine pid={pid} />}
      {sockets.length === 0 ? null : (
        <>
          <h3>
            <Link to={`/network?group=none&filter=${pid}`}>
              {sockets.length} {sockets.length === 1 ? 'connection' : 'connections'}
            </Link>
          </h3>
          <ul class="pairs">
            {sockets.slice(0, 12).map(({ fd, laddr, raddr, status }) => (
              <li key={`${fd} ${laddr} ${raddr}`}>
                <span class="code">{raddr === null ? laddr : `${laddr} → ${raddr}`}</span>
                <span class="quiet">{status === 'NONE' ? '' : status.toLowerCase()}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </DetailsPane>
  );
}

/** Its parent and children. */
function Family({ process: { id, parent_id }, all }: { process: Process; all: readonly Process[] }) {
  const parent = all.find((each) => each.id === parent_id);
  const children = all.filter((each) => each.parent_id === id);
  return (
    <>
      {parent === undefined ? null : (
        <div>
          <dt>Started by</dt>
          <dd>
            <Link to={addressWith({ pid: String(parent.id) })}>{parent.name}</Link>{' '}
            <span class="quiet">{parent.id}</span>
          </dd>
        </div>
      )}
      {children.length === 0 ? null : (
        <div>
          <dt>Child processes</dt>
          <dd>
            {children.slice(0, mostChildren).map(({ id: child, name }, at) => (
              <span key={child}>
                {at === 0 ? '' : ', '}
                <Link to={addressWith({ pid: String(child) })}>{name}</Link>
              </span>
            ))}
            {children.length > mostChildren ? ` and ${children.length - mostChildren} more` : ''}
          </dd>
        </div>
      )}
    </>
  );
}

const mostChildren = 8;

/** On demand: it may contain passwords and needs its own permission. */
function CommandLine({ pid }: { pid: number }) {
  const line = useSignal<string[] | null | undefined>(undefined);
  const problem = useSignal('');
  const may = ['command', 'admin'].some((scope) => session.value?.scopes.includes(scope));
  const reason = may ? obstacle('GET_PROCESS') : 'The token you signed in with lacks the scope command or admin.';
  const show = async () => {
    try {
      const { command_line } = (await send('GET', `/api/processes/details?id=${pid}`)) as ProcessDetailsResponse;
      line.value = command_line;
    } catch (thrown) {
      problem.value = thrown instanceof Error ? thrown.message : String(thrown);
    }
  };
  if (problem.value !== '') return <p class="problem">{problem.value}</p>;
  if (line.value === null) return <p class="quiet">This process has no command line.</p>;
  if (line.value !== undefined) {
    return (
      <>
        <h3>Command line</h3>
        <ol class="arguments">
          {line.value.map((argument, at) => (
            <li key={at} class="code">
              {argument}
            </li>
          ))}
        </ol>
      </>
    );
  }
  return (
    <p class="buttons">
      <button type="button" class="plain" disabled={reason !== null} title={reason ?? undefined} onClick={show}>
        Show command line
      </button>
    </p>
  );
}

function factsOf(process: Process, total: number | null): [string, string][] {
  const { id, cpu_usage, memory_usage, username, status, path, working_directory } = process;
  const memory = memory_usage === null || total === null ? '' : ` (${bytes((memory_usage / 100) * total)})`;
  const facts: [string, string | null][] = [
    ['PID', String(id)],
    ['CPU', `${percent(cpu_usage, 1)} of one core`],
    ['Memory', memory_usage === null ? null : `${percent(memory_usage, 1)}${memory}`],
    ['User', username],
    ['State', status],
    ['Program', path],
    ['Directory', working_directory],
  ];
  return facts.flatMap(([name, text]): [string, string][] => (text === null ? [] : [[name, text]]));
}
