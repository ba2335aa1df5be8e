import { Icon } from '../parts/icon.tsx';
import { When } from '../parts/time.tsx';
import { Link } from '../route.tsx';
import { dataOf, useModule } from '../state/live.ts';
import { bytes, percent } from '../units.ts';
import type { Process } from './processes.tsx';

interface ProcessDetailsProps {
  pid: number;
  /** undefined: it has ended, or never was. */
  process: Process | undefined;
  close(): void;
}

/** One process: what is known of it, and whom it talks to. */
export function ProcessDetails({ pid, process, close }: ProcessDetailsProps) {
  const networks = useModule('networks');
  const total = dataOf('memory').value?.virtual?.total ?? null;
  const sockets = networks?.connections.filter((each) => each.pid === pid) ?? [];
  return (
    <section class="card details-pane" aria-label="Process">
      <header class="card-head">
        <h2>{process?.name ?? `Process ${pid}`}</h2>
        <button type="button" class="bare" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      {process === undefined ? (
        <p class="quiet">It is not running. It may have ended since this address was made.</p>
      ) : (
        <dl>
          {factsOf(process, total).map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
          <div>
            <dt>Started</dt>
            <dd>
              <When at={process.created === null ? null : process.created * 1000} />
            </dd>
          </div>
        </dl>
      )}
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
    </section>
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
