import type { ModulePayloads } from '@hostler/client/client.ts';
import type { ComponentChildren } from 'preact';
import { useCallback } from 'preact/hooks';
import { Card } from '../components/card.tsx';
import { Chart } from '../components/chart/chart.tsx';
import { Columns } from '../components/columns.tsx';
import { Empty } from '../components/empty.tsx';

import { When } from '../components/time.tsx';
import { Link } from '../shell/route.tsx';
import { useModule } from '../state/live.ts';

type OwnSensor = ModulePayloads['custom']['sensors'][number];

export function Custom({ data: custom }: { data: ModulePayloads['custom'] }) {
  if (custom.sensors.length === 0)
    return (
      <Empty icon="custom" sentence="No sensor of your own is configured.">
        Add a command or a file under <Link to="/settings?setting=custom.sensors">Settings, Readings</Link>.
      </Empty>
    );
  return (
    <Columns>
      {custom.sensors.map((sensor): [number, ComponentChildren] => [
        heightOf(sensor),
        <SensorCard key={sensor.id} sensor={sensor} />,
      ])}
    </Columns>
  );
}

export function SensorOf({ id }: { id: string }) {
  const sensor = useModule('custom')?.sensors.find((each) => each.id === id);
  return sensor === undefined ? null : <SensorCard sensor={sensor} />;
}

function SensorCard({ sensor }: { sensor: OwnSensor }) {
  const { id, name, unit, value, at, error } = sensor;
  return (
    <Card title={name} figure={figureOf(value, unit)} {...(typeof value === 'number' ? { chart: `custom.${id}` } : {})}>
      {typeof value === 'number' ? <Course of={sensor} /> : <Long value={value} />}
      {error === null ? null : <p class="problem breaking">{error}.</p>}
      <p class="small">
        {at === null ? (
          'Not read yet'
        ) : (
          <>
            Read <When at={at * 1000} />
          </>
        )}{' '}
        · <code>{id}</code>
      </p>
    </Card>
  );
}

function Course({ of: { id, name, unit } }: { of: OwnSensor }) {
  const format = useCallback((value: number | null | undefined) => figureOf(rounded(value), unit) ?? '–', [unit]);
  return <Chart history={`custom.${id}`} format={format} size="low" label={name} />;
}

/** Rounded: positions between two grid lines are interpolated, not measured. */
const rounded = (value: number | null | undefined) => (value == null ? null : Number(value.toPrecision(4)));

/** In lines, about. */
function heightOf({ value, error }: OwnSensor): number {
  const text = value === null || figureOf(value, '') !== undefined ? '' : JSON.stringify(value, null, 2);
  const chart = typeof value === 'number' ? 6 : 0;
  return 3 + chart + text.split('\n').length + Math.ceil(text.length / 60) + (error === null ? 0 : 1);
}

/** Text that fits beside a title; longer text is below it. */
const longestFigure = 24;

function figureOf(value: unknown, unit: string): string | undefined {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'object') return undefined;
  const text = String(value);
  if (text.length > longestFigure || text.includes('\n')) return undefined;
  return unit === '' ? text : `${text} ${unit}`;
}

function Long({ value }: { value: unknown }) {
  if (Array.isArray(value) && value.every((line) => typeof line === 'string')) return <pre>{value.join('\n')}</pre>;
  if (typeof value === 'object' && value !== null) return <pre>{JSON.stringify(value, null, 2)}</pre>;
  return typeof value === 'string' && figureOf(value, '') === undefined ? <pre>{value}</pre> : null;
}
