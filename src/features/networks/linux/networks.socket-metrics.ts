import { gauge, type Metric } from '../../../core/readings/metrics.ts';

/** `TCP: inuse 5 orphan 0 tw 0 alloc 7 mem 1`, memory of TCP and UDP in pages. */
export function socketMetrics(tables: readonly string[], pageBytes: number): Metric[] {
  return tables.flatMap((text) =>
    text.split('\n').flatMap((line) => {
      const [protocol = '', ...pairs] = line.split(' ');
      const found: Metric[] = [];
      for (let at = 0; at + 1 < pairs.length; at += 2) {
        const [field, value] = [pairs[at], Number(pairs[at + 1])];
        const name = `${protocol.slice(0, -1)}_${field}`;
        found.push(gauge(`node_sockstat_${name}`, `Sockets: ${name.replace('_', ' ')}`, value));
        if (field === 'mem')
          found.push(
            gauge(`node_sockstat_${name}_bytes`, `Memory of sockets: ${name.replace('_mem', '')}`, value * pageBytes),
          );
      }
      return found;
    }),
  );
}
