import type { Requests } from '@hostler/client/events.ts';
import { useSignal } from '@preact/signals';
import { Card, Findings } from '../../components/card.tsx';
import { Peak, peakTime } from '../../components/compared-table.tsx';
import { Pairs } from '../../components/fact-list.tsx';
import { Table } from '../../components/table.tsx';
import { attempt } from '../../shell/announcements.tsx';
import { Link } from '../../shell/route.tsx';
import { useCompared } from '../../state/compared.ts';
import { request } from '../../state/live.ts';
import { range, rangeEnd } from '../../state/range.ts';
import { bytes, duration, rate } from '../../units.ts';
import { growthOf, type SpaceGrowth } from './space-growth.ts';

const daySeconds = 86_400;
const series = ['disk.free/*'];

/** What filled the disk: which file system, when most of it, and what writes now. */
export function SpaceCard() {
  const { compared } = useCompared(series, daySeconds);
  const rows = compared === null ? [] : growthOf(compared.past);
  const words =
    rangeEnd.value !== null ? 'this time' : range.value.refreshMs === null ? 'the last 24 hours' : range.value.words;
  return (
    <>
      <Findings
        title="What filled the disk?"
        icon="disk"
        sentences={rows.flatMap((row) => (row.used > 0 ? [sentenceOf(row, words)] : []))}
        none={noneOf(compared === null, rows, words)}
      >
        <Writers />
      </Findings>
      {rows.length === 0 ? null : (
        <Card title="Free space" icon="disk" wide>
          <SpaceTable rows={rows} />
        </Card>
      )}
    </>
  );
}

function noneOf(isLoading: boolean, rows: readonly SpaceGrowth[], words: string): string {
  if (isLoading) return 'Loading…';
  return rows.length === 0
    ? `No free space was recorded in ${words}.`
    : `No file system filled up noticeably in ${words}.`;
}

function sentenceOf({ mountPoint, used, free, steepest, fullIn }: SpaceGrowth, words: string): string {
  const most = steepest === null ? '' : `, most of it at ${peakTime(steepest.at)}`;
  const left = `${bytes(free)} are left`;
  const outlook = fullIn === null ? '' : `; at this rate it is full in ${duration(fullIn)}`;
  return `${bytes(used)} were used up on ${mountPoint} in ${words}${most}; ${left}${outlook}.`;
}

function SpaceTable({ rows }: { rows: readonly SpaceGrowth[] }) {
  return (
    <Table
      class="phone-rows"
      rows={rows}
      rowKey={({ mountPoint }) => mountPoint}
      columns={[
        { title: 'File system', show: ({ mountPoint }) => mountPoint },
        { title: 'Free', kind: 'number', show: ({ free }) => bytes(free) },
        { title: 'Change', kind: 'number', show: ({ used }) => changeOf(used) },
        {
          title: 'Most at once',
          kind: 'number',
          show: ({ steepest }) => (steepest === null ? '–' : <Peak peak={steepest} text={bytes(steepest.used)} />),
        },
      ]}
    />
  );
}

function changeOf(used: number): string {
  if (used === 0) return 'none';
  return used > 0 ? `−${bytes(used)}` : `+${bytes(-used)}`;
}

type Writing = NonNullable<Requests['GET_BUSIEST_PROCESSES']['result']['disk']>;

/** On demand: it reads the counters of every process twice. */
function Writers() {
  const found = useSignal<Writing | null>(null);
  const hidden = useSignal('');
  const busy = useSignal(false);
  const measure = async () => {
    busy.value = true;
    await attempt(async () => {
      const { data } = await request('GET_BUSIEST_PROCESSES');
      const { disk, reasons } = data as Requests['GET_BUSIEST_PROCESSES']['result'];
      const [why] = reasons.flatMap(({ field, reason }) => (field === 'disk' ? [reason] : []));
      if (disk === null) throw new Error(why ?? 'The disk I/O of processes is not known here');
      hidden.value = why ?? '';
      found.value = disk.filter(({ written_per_second }) => (written_per_second ?? 0) > 0);
      return undefined;
    });
    busy.value = false;
  };
  return (
    <>
      {found.value?.length === 0 ? <p>No process writes to disks now.</p> : null}
      <Pairs
        of={(found.value ?? []).map(({ id, name, written_per_second }) => ({
          key: id,
          name: <Link to={`/processes?pid=${id}`}>{name}</Link>,
          value: rate(written_per_second),
        }))}
      />
      {hidden.value === '' ? null : <p class="small">{hidden.value}.</p>}
      <p class="buttons">
        <button type="button" class="plain" disabled={busy.value} onClick={() => void measure()}>
          {busy.value ? 'Measuring…' : 'Which programs write now?'}
        </button>
      </p>
    </>
  );
}
