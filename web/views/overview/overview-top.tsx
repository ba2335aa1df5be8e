import type { ModulePayloads } from '@hostler/client/client.ts';
import { useSignal } from '@preact/signals';
import { Card } from '../../components/card.tsx';
import { Link } from '../../shell/route.tsx';
import { dataOf } from '../../state/live.ts';
import { set } from '../../state/set.ts';
import { percent } from '../../units.ts';

type By = 'cpu_usage' | 'memory_usage';

export function TopCard({ processes }: { processes: ModulePayloads['processes'] }) {
  const by = useSignal<By>('cpu_usage');
  const cores = dataOf('cpu').value?.count ?? null;
  const shown = busiest(processes, by.value, 8);
  const most = Math.max(1, shown[0]?.[by.value] ?? 0);
  return (
    <Card title="Busiest processes" icon="processes" onward={['/processes', `All ${processes.length} processes`]}>
      <table class="top">
        <thead>
          <tr>
            <th scope="col">Name</th>
            {(['cpu_usage', 'memory_usage'] as const).map((key) => (
              <th key={key} scope="col" class="number" aria-sort={by.value === key ? 'descending' : 'none'}>
                <button type="button" class="sort" onClick={() => set(by, key)}>
                  {key === 'cpu_usage' ? 'CPU' : 'Memory'}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((process) => (
            <tr key={process.id}>
              <td title={process.path ?? process.name}>
                <Link to={`/processes?pid=${process.id}`}>{process.name}</Link>
                <span class="share" style={{ width: `${((process[by.value] ?? 0) / most) * 100}%` }} />
              </td>
              <td class="number">{percent(process.cpu_usage, 1)}</td>
              <td class="number">{percent(process.memory_usage, 1)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="small">
        A process counts 100 % for each core it keeps busy
        {cores === null ? '' : `: ${cores} ${cores === 1 ? 'core' : 'cores'} are ${cores * 100} %`}; the processor's
        total counts all cores as 100 %.
      </p>
    </Card>
  );
}

/** Without sorting thousands for the sake of a few. */
function busiest<T extends Record<By, number | null>>(processes: readonly T[], by: By, count: number): T[] {
  const top: T[] = [];
  for (const process of processes) {
    const usage = process[by] ?? 0;
    if (top.length === count && usage <= (top[count - 1]?.[by] ?? 0)) continue;
    const place = top.findIndex((each) => usage > (each[by] ?? 0));
    top.splice(place === -1 ? top.length : place, 0, process);
    if (top.length > count) top.pop();
  }
  return top;
}
