import type { Metric, Sample } from '../../core/metrics.ts';

export const openMetricsType = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** https://prometheus.io/docs/specs/om/open_metrics_spec/ */
export function openMetricsText(metrics: readonly Metric[]): string {
  return `${metrics.map(familyText).join('')}# EOF\n`;
}

const suffixes: Record<Metric['type'], string> = { counter: '_total', gauge: '', info: '_info' };

function familyText({ name, type, help, samples }: Metric): string {
  const lines = new Map<string, string>();
  for (const sample of samples) {
    const series = `${name}${suffixes[type]}${labelsText(sample)}`;
    // The same series twice makes the whole text unusable; of two mounts at one place the first is as good.
    if (!lines.has(series)) lines.set(series, `${series} ${numberText(sample.value)}\n`);
  }
  return `# TYPE ${name} ${type}\n# HELP ${name} ${escaped(help)}\n${[...lines.values()].join('')}`;
}

function labelsText({ labels }: Sample): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(text: string): string {
  return text.toWellFormed().replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`));
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
