import type { ComponentChildren } from 'preact';
import { Card } from '../components/card.tsx';
import { type ChartName, isChartName, NamedChart } from '../components/chart/named-chart.tsx';
import { Quantity, Traffic } from '../components/figures.tsx';
import { pinned } from '../components/pin-button.tsx';
import { useEscape } from '../components/use-escape.ts';
import { ConnectionNote } from '../shell/connection-note.tsx';
import { setParameters } from '../shell/route.tsx';
import { useMachineTime } from '../state/clock.ts';
import { useModule } from '../state/live.ts';
import { celsius, momentOf, percent } from '../units.ts';
import { SensorOf } from './custom.tsx';

const usual: readonly ChartName[] = ['cpu', 'memory', 'network', 'disk'];
const titles: Record<ChartName, string> = {
  cpu: 'Processor',
  memory: 'Memory',
  network: 'Network',
  disk: 'Disk traffic',
  temperatures: 'Temperatures',
  gpus: 'Graphics',
};

/** For a screen that is read from a distance (`?view=wall`): large numbers and the pinned charts, nothing to press. Escape leaves it. */
export function Wall() {
  useEscape(() => setParameters({ view: null }));
  const system = useModule('system');
  const now = useMachineTime(5000);
  const chosen = pinned.chosen.value;
  const host = system?.hostname ?? 'Hostler';
  return (
    <main class="wall" id="view" tabIndex={-1} aria-label={`Wall view of ${host}`}>
      <header>
        <h1>{host}</h1>
        <p class="figure">{momentOf(now, 'minute')}</p>
      </header>
      <ConnectionNote />
      <Alerts />
      <Figures />
      <div class="charts">
        {(chosen.length === 0 ? usual : chosen).map((name) =>
          isChartName(name) ? (
            <Card key={name} title={titles[name]}>
              <NamedChart of={name} />
            </Card>
          ) : (
            <SensorOf key={name} id={name.replace('custom.', '')} />
          ),
        )}
      </div>
    </main>
  );
}

function Figures() {
  const cpu = useModule('cpu');
  const memory = useModule('memory');
  const temperatures = useModule('sensors')?.temperatures.map(({ temperature }) => temperature) ?? [];
  return (
    <dl class="wall-figures">
      <Figure title="Processor">
        <Quantity text={percent(cpu?.usage)} />
      </Figure>
      <Figure title="Memory">
        <Quantity text={percent(memory?.virtual?.percent)} />
      </Figure>
      {temperatures.length === 0 ? null : (
        <Figure title="Warmest">
          <Quantity text={celsius(Math.max(...temperatures))} />
        </Figure>
      )}
      <Figure title="Network">
        <Traffic history="network" into="received" />
      </Figure>
      <Figure title="Disks">
        <Traffic history="disk" into="read" />
      </Figure>
    </dl>
  );
}

const Figure = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <div>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </div>
);

function Alerts() {
  const active = (useModule('alerts')?.alerts ?? []).filter(({ state }) => state === 'active');
  if (active.length === 0) return null;
  return (
    <ul class="notices">
      {active.slice(0, 5).map(({ id, name, text }) => (
        <li key={id}>
          {name}: {text}
        </li>
      ))}
    </ul>
  );
}
