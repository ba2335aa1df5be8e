import type { ModuleName } from '@hostler/client/client.ts';
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { Card } from '../../components/card.tsx';
import { NamedChart } from '../../components/chart/named-chart.tsx';
import { Quantity, Traffic } from '../../components/figures.tsx';
import { Icon, type IconName } from '../../components/icon.tsx';
import { pinned } from '../../components/pin-button.tsx';
import { Absent, Reasons, Unknown } from '../../components/reasons.tsx';
import { Link } from '../../shell/route.tsx';
import { stateOf } from '../../state/availability.ts';
import { graphicsName, numbered } from '../../state/history.ts';
import { dataOf, useModule } from '../../state/live.ts';
import { useLoaded } from '../../state/loaded.ts';
import { sensorTitle } from '../../state/sensor-names.ts';
import { set } from '../../state/set.ts';
import { bytes, celsius, megahertz, percent } from '../../units.ts';
import { Bars } from './bars.tsx';
import { CoreMap } from './core-map.tsx';
import { DeviceRows, InterfaceRows } from './device-rows.tsx';
import { MachineLine, OverviewLists } from './overview-lists.tsx';

/** Above this many, bars of single cores cannot be distinguished. */
const mostBars = 16;
/** Cards that load later than this may move others. */
const patienceMs = 1200;
const chartPatienceMs = 500;

export function Overview() {
  const begun = useKnown(['system', 'cpu', 'memory', 'networks', 'disks'], patienceMs);
  // Whether there are further charts decides how wide the others are.
  const charted = useKnown(['sensors', 'gpus'], chartPatienceMs);
  const listed = useKnown(['sensors', 'gpus', 'battery', 'processes'], patienceMs);
  if (!begun || !charted) return <Skeleton />;
  return (
    <div class="overview">
      <MachineLine />
      <Questions />
      <Charts />
      {listed ? <OverviewLists /> : <div class="skeleton lists" aria-hidden="true" />}
    </div>
  );
}

/** What users come with, and where the answer is. */
const questions: readonly [to: string, question: string, icon: IconName][] = [
  ['/load', 'Why is it slow?', 'load'],
  ['/disks?range=24h', 'What filled the disk?', 'disk'],
  ['/timeline?range=24h', 'What changed since yesterday?', 'timeline'],
  ['/safety', 'Is it safe?', 'safe'],
];

const Questions = () => (
  <nav class="chips questions" aria-label="Questions">
    {questions.map(([to, question, icon]) => (
      <Link key={to} to={to} class="chip">
        <Icon name={icon} /> {question}
      </Link>
    ))}
  </nav>
);

/** Pinned ones first. */
function Charts() {
  const first = pinned.chosen.value;
  const others = Object.keys(cards).filter((name) => !first.includes(name));
  return (
    <div class="charts">
      {[...first, ...others].map((name) => {
        const Content = cards[name];
        if (Content !== undefined) return <Content key={name} />;
        return name.startsWith('custom.') ? <PinnedSensor key={name} id={name.slice('custom.'.length)} /> : null;
      })}
    </div>
  );
}

const cards: Record<string, ComponentType> = {
  cpu: CpuCard,
  memory: MemoryCard,
  network: NetworkCard,
  disk: DiskCard,
  temperatures: TemperatureCard,
  gpus: GpuCard,
};

/** Loaded when one is pinned. */
function PinnedSensor({ id }: { id: string }) {
  const { data: Content } = useLoaded(async () => (await import('../custom.tsx')).SensorOf);
  return Content === null ? null : <Content id={id} />;
}

/** Placeholder until the modules are known, so that cards do not move. */
function Skeleton() {
  return (
    <div class="overview" aria-hidden="true">
      <div class="charts">
        {[1, 2, 3, 4, 5].map((each) => (
          <div key={each} class="card skeleton tall" />
        ))}
      </div>
    </div>
  );
}

/** Whether the modules are known, so that later data does not move cards. */
function useKnown(modules: readonly ModuleName[], patience: number): boolean {
  const waited = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => set(waited, true), patience);
    return () => clearTimeout(timer);
  }, []);
  const known = modules.every((name) => dataOf(name).value !== null || stateOf(name)?.availability === 'unavailable');
  // No other component follows them yet.
  for (const name of modules) useModule(name);
  return waited.value || known;
}

/** Only cards with data; the lists below give the reasons. */
const isAbsent = (module: ModuleName) => stateOf(module)?.availability === 'unavailable';

function CpuCard() {
  const cpu = useModule('cpu');
  if (cpu === null && isAbsent('cpu')) return null;
  const cores = cpu?.per_cpu ?? [];
  const values = cores.map(({ usage }) => usage);
  const facts = [
    cpu?.frequency.current == null ? '' : megahertz(cpu.frequency.current),
    cpu?.temperature == null ? '' : celsius(cpu.temperature),
    cpu?.power == null ? '' : `${cpu.power.toFixed(1)} W`,
  ];
  return (
    <Card title="Processor" icon="processor" chart="cpu" figure={<Quantity text={percent(cpu?.usage)} />}>
      <p class="facts parted" title={cpu?.name ?? undefined}>
        <span>{cpu === null ? ' ' : processorName(cpu.name)}</span>
        <span>{facts.filter(Boolean).map((fact) => `· ${fact} `)}</span>
      </p>
      <NamedChart of="cpu" />
      <div class="more">
        {cores.length === 0 ? null : cores.length > mostBars ? (
          <CoreMap values={values} />
        ) : (
          <Bars values={values} label={`Usage of each of ${cores.length} cores`} />
        )}
        {cpu?.load_average == null ? null : (
          <p class="small" title="Processes that run or wait for a processor or a disk, on average over a minute">
            Load average {cpu.load_average.toFixed(2)}
          </p>
        )}
        {cpu === null ? <Absent module="cpu" /> : null}
        <Unknown
          module="cpu"
          of={
            cpu === null
              ? []
              : [
                  ['usage', 'usage', cpu.usage],
                  ['cores', 'per_cpu', cores.length === 0 ? null : cores],
                ]
          }
        />
      </div>
    </Card>
  );
}

/** Without trade marks, and without the clock, which is shown beside it. */
const processorName = (name: string | null) =>
  name
    ?.replace(/\((?:R|TM|C)\)|®|™|\bCPU\b|@.*$|\b\d+-Core\b|\bProcessor\b|\bw(?:ith|\/) .*Graphics$/gi, '')
    .replace(/\s+/g, ' ')
    .trim() || 'Unknown processor';

function MemoryCard() {
  const memory = useModule('memory');
  if (memory === null && isAbsent('memory')) return null;
  const { virtual, swap } = memory ?? {};
  return (
    <Card title="Memory" icon="memory" chart="memory" figure={<Quantity text={percent(virtual?.percent)} />}>
      <p class="facts">
        {virtual?.total
          ? `${bytes(virtual.used)} of ${bytes(virtual.total)} · ${
              swap?.total ? `swap ${bytes(swap.used)} of ${bytes(swap.total)}` : 'no swap'
            }`
          : ' '}
      </p>
      <NamedChart of="memory" />
      <div class="more">
        {virtual?.total ? <MemoryParts total={virtual.total} used={virtual.used} cached={virtual.cached} /> : null}
        {memory === null ? <Absent module="memory" /> : null}
        {memory !== null && !virtual?.total ? <Reasons module="memory" fields={['virtual.total']} /> : null}
      </div>
    </Card>
  );
}

/** How the memory is divided. Cache overlaps with what is available, so it is what is left of it that is drawn. */
function MemoryParts({ total, used, cached }: { total: number; used: number | null; cached: number | null }) {
  const inUse = used ?? 0;
  const cache = Math.max(0, Math.min(cached ?? 0, total - inUse));
  const parts: [string, number, string][] = [
    ['Programs', inUse, 'line-1'],
    ['Cache', cache, 'line-3'],
    ['Free', total - inUse - cache, 'free'],
  ];
  return (
    <>
      <div class="stack" role="img" aria-label={parts.map(([name, size]) => `${name} ${bytes(size)}`).join(', ')}>
        {parts.map(([name, size, kind]) => (
          <span key={name} class={kind} style={{ flexGrow: size / total }} />
        ))}
      </div>
      <ul class="legend">
        {parts.map(([name, size, kind]) => (
          <li key={name} class={kind}>
            <span>{name}</span> <b>{bytes(size)}</b>
          </li>
        ))}
      </ul>
    </>
  );
}

function NetworkCard() {
  const networks = useModule('networks');
  if (networks === null && isAbsent('networks')) return null;
  return (
    <Card title="Network" icon="network" chart="network" figure={<Traffic history="network" into="received" />}>
      <p class="facts" title="What the machine sends to itself (loopback) is left out.">
        All interfaces, without loopback
      </p>
      <NamedChart of="network" />
      <div class="more">
        <InterfaceRows interfaces={networks?.networks ?? []} />
        <Reasons module="networks" fields={['io']} />
      </div>
    </Card>
  );
}

function DiskCard() {
  const disks = useModule('disks');
  if (disks === null && isAbsent('disks')) return null;
  return (
    <Card title="Disk traffic" icon="disk" chart="disk" figure={<Traffic history="disk" into="read" />}>
      <p class="facts">All disks, read and written</p>
      <NamedChart of="disk" />
      <div class="more">
        <DeviceRows devices={disks?.devices ?? []} />
        <Reasons module="disks" fields={['io_counters']} />
      </div>
    </Card>
  );
}

function TemperatureCard() {
  const sensors = useModule('sensors');
  const temperatures = sensors?.temperatures ?? [];
  const [hottest] = temperatures.toSorted((a, b) => b.temperature - a.temperature);
  if (hottest === undefined) return null;
  return (
    <Card
      title="Temperatures"
      icon="temperature"
      chart="temperatures"
      figure={<Quantity text={celsius(hottest.temperature)} />}
    >
      <p class="facts">Warmest: {sensorTitle(hottest.key)}</p>
      <NamedChart of="temperatures" />
    </Card>
  );
}

function GpuCard() {
  const gpus = useModule('gpus');
  if (!gpus?.length) return null;
  const busiest = gpus.reduce((most, { core_load }) => Math.max(most, core_load ?? 0), 0);
  // Without a load there is nothing to draw; the view of graphics has the rest.
  if (!gpus.some(({ core_load }) => core_load !== null)) return null;
  const titles = new Map(gpus.map(({ id, name }, at) => [id, numbered(name, at, gpus.length)]));
  return (
    <Card title="Graphics" icon="graphics" chart="gpus" figure={<Quantity text={percent(busiest)} />}>
      <p class="facts">{gpus.map(({ name }) => graphicsName(name)).join(' · ')}</p>
      <NamedChart of="gpus" nameOf={(id) => titles.get(id) ?? id} />
    </Card>
  );
}
