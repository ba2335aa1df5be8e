import { BusiestPrograms } from '../../components/busiest-processes.tsx';
import { Card, Findings } from '../../components/card.tsx';
import { NamedChart } from '../../components/chart/named-chart.tsx';
import { ComparedTable, comparedNames } from '../../components/compared-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { EventList } from '../../components/event-list.tsx';
import { useCompared } from '../../state/compared.ts';
import { useModule } from '../../state/live.ts';
import { range, rangeEnd } from '../../state/range.ts';
import { findingsOf } from './load-findings.ts';

const liveSeconds = 300;

/** Why is it slow: what was short, who used it, and what is usual. */
export function Load() {
  const { compared, asked } = useCompared(comparedNames, liveSeconds);
  // Names of running processes are links.
  useModule('processes');
  if (compared === null)
    return asked ? (
      <Empty icon="load" sentence="The service does not report its history.">
        Sign in with a token that has the scope read.
      </Empty>
    ) : (
      <p class="quiet">Loading…</p>
    );
  const { past, series } = compared;
  if (series.length === 0)
    return (
      <Empty icon="load" sentence="Nothing was recorded in this time.">
        The machine or the service was off, or history.enabled is off in the settings.
      </Empty>
    );
  const words = rangeEnd.value === null ? range.value.words : 'this time';
  return (
    <div class="cards">
      <Findings
        title="Why is it slow?"
        icon="load"
        sentences={findingsOf(series, past.programs)}
        none={`Nothing was overloaded in ${words}. The highest values are below.`}
      />
      <div class="cards wide">
        <Card title="Busiest programs" icon="processes">
          <BusiestPrograms past={past} />
        </Card>
        <Card title="Events" icon="timeline">
          <EventList events={past.events.toReversed().slice(0, 20)} none={`Nothing happened in ${words}.`} />
        </Card>
      </div>
      <Card title="Compared with usual" icon="timeline" wide>
        <ComparedTable series={series} before="Usual" />
        <p class="small">
          {series.some(({ before }) => before !== null)
            ? 'Usual is the mean of what was recorded before, in as much time or a day.'
            : 'Nothing was recorded before, so the usual values are not known yet.'}
        </p>
      </Card>
      <Card title="Processor" icon="processor" chart="cpu" wide>
        <NamedChart of="cpu" size="low" />
      </Card>
    </div>
  );
}
