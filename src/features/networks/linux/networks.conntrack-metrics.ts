import { gauge, type Metric } from '../../../core/readings/metrics.ts';
import type { Files } from '../../../host/linux/files.ts';
import { numberIn } from '../../../host/linux/proc/text-fields.ts';

/** The exported columns. They only grow, but node_exporter declares them as gauges. */
const columns = {
  found: 'Packets of connections that were known',
  invalid: 'Packets that cannot be followed',
  ignore: 'Packets that need not be followed',
  insert: 'Connections added',
  insert_failed: 'Connections that could not be added',
  drop: 'Packets dropped because the table was full',
  early_drop: 'Connections forgotten to make room for others',
  search_restart: 'Searches that began anew because the table changed',
};

/** The connections tracked by the firewall. `stat`: a line of names, then a line of hexadecimal numbers for each core. */
export function connectionTrackingMetrics(files: Files, stat: string): Metric[] {
  const setting = (name: string) => numberIn(files.text(`/proc/sys/net/netfilter/${name}`));
  const entries = setting('nf_conntrack_count');
  if (entries === null) return [];
  const [heading = '', ...lines] = stat.trim().split('\n');
  const names = heading.trim().split(/\s+/);
  const cores = lines.map((line) => line.trim().split(/\s+/));
  const sum = (name: string) => {
    const column = names.indexOf(name);
    if (column === -1) return null;
    return cores.reduce((total, values) => total + (Number.parseInt(values[column] ?? '', 16) || 0), 0);
  };
  return [
    gauge('node_nf_conntrack_entries', 'Connections that the firewall follows', entries),
    gauge('node_nf_conntrack_entries_limit', 'Connections it can follow at most', setting('nf_conntrack_max')),
    ...Object.entries(columns).map(([name, help]) => gauge(`node_nf_conntrack_stat_${name}`, help, sum(name))),
  ];
}
