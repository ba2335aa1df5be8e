import { Link } from '../shell/route.tsx';
import { dataOf } from '../state/live.ts';
import type { Past } from '../state/past-charts.ts';
import { bytes, percent } from '../units.ts';
import { TableHead } from './table-head.tsx';

const none = <p class="quiet">No processes were recorded then: the machine was idle, or asleep.</p>;

/** The busiest processes of a recorded time; those that still run are links. */
export function BusiestProcesses({ past }: { past: Past }) {
  const running = new Set(dataOf('processes').value?.map(({ id }) => id));
  if (past.processes.length === 0) return none;
  return (
    <>
      <table>
        <TableHead texts={['Name']} figures={['CPU', 'Most', 'Memory']} />
        <tbody>
          {past.processes.slice(0, 8).map(({ pid, name, cpu, most_cpu, memory }) => (
            <tr key={`${pid} ${name}`}>
              <td title={`PID ${pid}`}>{running.has(pid) ? <Link to={`/processes?pid=${pid}`}>{name}</Link> : name}</td>
              <td class="number">{percent(cpu, 1)}</td>
              <td class="number">{percent(most_cpu, 1)}</td>
              <td class="number">{bytes(memory)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="small">100 % is one core.</p>
    </>
  );
}

/** The same by program: processes of one name together. */
export function BusiestPrograms({ past }: { past: Past }) {
  const running = new Set(dataOf('processes').value?.map(({ name }) => name));
  if (past.programs.length === 0) return none;
  return (
    <>
      <table>
        <TableHead texts={['Name']} figures={['CPU', 'Most', 'Memory']} />
        <tbody>
          {past.programs.slice(0, 8).map(({ name, count, cpu, most_cpu, memory }) => (
            <tr key={name}>
              <td>
                {running.has(name) ? <Link to={`/processes?filter=${encodeURIComponent(name)}`}>{name}</Link> : name}{' '}
                {count === 1 ? null : <span class="quiet">× {count}</span>}
              </td>
              <td class="number">{percent(cpu, 1)}</td>
              <td class="number">{percent(most_cpu, 1)}</td>
              <td class="number">{bytes(memory)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="small">100 % is one core. Processes that ended before the next sample are not counted.</p>
    </>
  );
}
