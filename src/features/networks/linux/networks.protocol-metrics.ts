import { type Metric, untyped } from '../../../core/readings/metrics.ts';
import { keptFor } from '../../../lib/cache-by-object.ts';

/** Of several hundred counters those of node_exporter, which dashboards use. */
const wanted = new RegExp(
  [
    '^(.*_(InErrors|InErrs)',
    'Ip_Forwarding',
    'Ip(6|Ext)_(InOctets|OutOctets)',
    'Icmp6?_(InMsgs|OutMsgs)',
    'TcpExt_(Listen.*|Syncookies.*|TCPSynRetrans|TCPTimeouts|TCPOFOQueue|TCPRcvQDrop)',
    'Tcp_(ActiveOpens|InSegs|OutSegs|OutRsts|PassiveOpens|RetransSegs|CurrEstab)',
    'Udp6?_(InDatagrams|OutDatagrams|NoPorts|RcvbufErrors|SndbufErrors))$',
  ].join('|'),
);

/** The wanted columns of a header line, which is constant while the kernel runs. */
type Columns = { at: number; name: string }[];
const knownColumns = keptFor((_files: object) => new Map<string, Columns>());

/** Counters of the Internet protocols. `headers`: parsed header lines. https://docs.kernel.org/networking/snmp_counter.html */
export function protocolMetrics(headers: object, tables: readonly string[], snmp6: string): Metric[] {
  const known = knownColumns(headers);
  return [...tables.flatMap((table) => parseTable(table, known)), ...parseList(snmp6)].map(([name, value]) =>
    untyped(`node_netstat_${name}`, `${name.replace('_', ' ')}, as the kernel counts it`, value),
  );
}

/** Two lines for each protocol: `Tcp: names`, then `Tcp: values`. */
function parseTable(text: string, known: Map<string, Columns>): [string, number][] {
  const found: [string, number][] = [];
  const lines = text.split('\n');
  for (let line = 0; line + 1 < lines.length; line += 2) {
    const heading = lines[line] ?? '';
    const columns = known.get(heading) ?? columnsIn(heading);
    known.set(heading, columns);
    if (columns.length === 0) continue;
    const values = (lines[line + 1] ?? '').split(' ');
    for (const { at, name } of columns) found.push([name, Number(values[at])]);
  }
  return found;
}

function columnsIn(heading: string): Columns {
  const [protocol = '', ...names] = heading.split(' ');
  return names
    .map((name, index) => ({ at: index + 1, name: `${protocol.slice(0, -1)}_${name}` }))
    .filter(({ name }) => wanted.test(name));
}

/** One line each: `Ip6InOctets   123`. */
function parseList(text: string): [string, number][] {
  return [...text.matchAll(listed)].flatMap(([, protocol, name, value]): [string, number][] =>
    wanted.test(`${protocol}_${name}`) ? [[`${protocol}_${name}`, Number(value)]] : [],
  );
}

/** Most lines count single message types, and are skipped. */
const listed =
  /^(\w*?6)(InErrors|InOctets|OutOctets|InMsgs|OutMsgs|InDatagrams|OutDatagrams|NoPorts|RcvbufErrors|SndbufErrors)\s+(\d+)$/gm;
