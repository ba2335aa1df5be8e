import type { ModulePayloads } from '@hostler/client/client.ts';
import { Card } from '../components/card.tsx';
import { NamedChart } from '../components/chart/named-chart.tsx';
import { Facts } from '../components/fact-list.tsx';
import { Meter, Quantity } from '../components/figures.tsx';
import { Nothing, Unknown } from '../components/reasons.tsx';
import { Table } from '../components/table.tsx';
import { Link } from '../shell/route.tsx';
import { memoryOf, numbered } from '../state/history.ts';
import { bytes, celsius, megahertz, percent } from '../units.ts';

const mebibyte = 2 ** 20;

type Gpu = ModulePayloads['gpus'][number];
type User = NonNullable<Gpu['processes']>[number];

/** Every graphics processor: how busy it is, its memory, clocks, temperature and power. */
export function Graphics({ data: gpus }: { data: ModulePayloads['gpus'] }) {
  if (gpus.length === 0) return <Nothing module="gpus" icon="graphics" />;
  const titles = new Map(gpus.map(({ id, name }, at) => [id, numbered(name, at, gpus.length)]));
  return (
    <div class="cards">
      <Card title="Load" icon="graphics" chart="gpus" wide>
        <NamedChart of="gpus" size="tall" nameOf={(id) => titles.get(id) ?? id} />
      </Card>
      {gpus.map((gpu) => {
        const { id, core_load, memory_load, power_usage, temperature } = gpu;
        const facts: [string, string | null][] = [
          ['Temperature', temperature === null ? null : celsius(temperature)],
          ['Power draw', power_usage === null ? null : `${power_usage.toFixed(0)} W`],
          ['GPU clock', gpu.core_clock === null ? null : megahertz(gpu.core_clock)],
          ['Memory clock', gpu.memory_clock === null ? null : megahertz(gpu.memory_clock)],
          ['Memory traffic', memory_load === null ? null : percent(memory_load)],
          ['Model', gpu.name === titles.get(id) ? null : gpu.name],
          ['Location', id],
        ];
        return (
          <Card key={id} title={titles.get(id) ?? id} figure={<Quantity text={percent(core_load)} />}>
            <Meter label="Load" value={core_load} text={percent(core_load)} />
            <Meter label="Memory" {...memoryOf(gpu)} />
            <Facts of={facts} />
            <Users gpu={gpu} />
            <Unknown
              module="gpus"
              of={[
                ['load', '[].core_load', core_load],
                ['temperature', '[].temperature', temperature],
                ['power draw', '[].power_usage', power_usage],
                ['processes', '[].processes', gpu.processes],
              ]}
            />
          </Card>
        );
      })}
    </div>
  );
}

const mostUsers = 10;

/** The processes that use it, as far as the driver reports them. */
function Users({ gpu: { processes } }: { gpu: Gpu }) {
  if (!processes?.length) return null;
  const shown = processes.slice(0, mostUsers);
  const hasLoad = shown.some(({ load }) => load !== null);
  return (
    <Table
      class="top"
      rows={shown}
      rowKey={({ pid }) => pid}
      columns={[
        {
          title: 'Process',
          hint: ({ pid }) => `Process ${pid}`,
          show: ({ pid, name }) => <Link to={`/processes?pid=${pid}`}>{name ?? `Process ${pid}`}</Link>,
        },
        ...(hasLoad ? [{ title: 'GPU', kind: 'number' as const, show: ({ load }: User) => percent(load, 1) }] : []),
        {
          title: 'Memory',
          kind: 'number',
          show: ({ memory }) => bytes(memory === null ? null : memory * mebibyte),
        },
      ]}
    />
  );
}
