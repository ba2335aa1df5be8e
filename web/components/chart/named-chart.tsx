import { sensorTitle } from '../../state/sensor-names.ts';
import { celsius, percent, rate } from '../../units.ts';
import { Chart, type ChartProps } from './chart.tsx';

type Named = Omit<ChartProps, 'history' | 'size'>;

/** How each chart of the machine is drawn, by the name of its history. */
const charts = {
  cpu: { format: percent, max: 100, label: 'Processor usage' },
  memory: { format: percent, max: 100, label: 'Memory in use' },
  network: { format: rate, least: 1000, label: 'Network traffic' },
  disk: { format: rate, least: 1000, label: 'Disk traffic' },
  temperatures: { format: celsius, floor: 20, least: 60, label: 'Temperatures', nameOf: sensorTitle },
  gpus: { format: percent, max: 100, label: 'GPU load' },
} satisfies Record<string, Named>;

export type ChartName = keyof typeof charts;

export const isChartName = (name: string): name is ChartName => Object.hasOwn(charts, name);

export const NamedChart = ({ of, ...rest }: { of: ChartName } & Partial<Pick<ChartProps, 'size' | 'nameOf'>>) => (
  <Chart history={of} {...charts[of]} {...rest} />
);
