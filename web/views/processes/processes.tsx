import type { ModulePayloads } from '@hostler/client/client.ts';
import { useSignal } from '@preact/signals';
import { useCallback, useMemo } from 'preact/hooks';
import { figureColumn, momentColumn, shareColumn, textColumn } from '../../components/common-columns.tsx';
import { Check } from '../../components/field.tsx';
import { filtered } from '../../components/filter.tsx';
import { Icon } from '../../components/icon.tsx';
import { Listing } from '../../components/listing.tsx';
import { Reasons } from '../../components/reasons.tsx';
import { Segments } from '../../components/segments.tsx';
import { useAddressed } from '../../components/use-route-selection.ts';
import type { Column } from '../../components/virtual-table.tsx';
import { addressWith, Link, parameter, setParameters } from '../../shell/route.tsx';
import { dataOf } from '../../state/live.ts';
import { storedChoice } from '../../state/stored-choice.ts';
import { type Process, type TreePlace, treeOf } from './process-tree.ts';
import { ProcessDetails } from './processes-details.tsx';

/** Besides the name, which is always there. */
const columns: Column<Process>[] = [
  figureColumn('id', 'PID', ({ id }) => id, undefined, { secondary: true }),
  shareColumn('cpu', 'CPU', ({ cpu_usage }) => cpu_usage),
  shareColumn('memory', 'Memory', ({ memory_usage }) => memory_usage),
  textColumn('username', 'User', ({ username }) => username, 'middle'),
  textColumn('status', 'State', ({ status }) => stateWords[status] ?? status, 'middle'),
  momentColumn('created', 'Started', ({ created }) => created),
  textColumn('path', 'Program', ({ path }) => path, 'wide'),
  textColumn('directory', 'Directory', ({ working_directory }) => working_directory, 'wide'),
  {
    ...figureColumn('parent', 'Parent PID', ({ parent_id }) => parent_id, undefined, { secondary: true }),
    show: ({ parent_id }) => parent_id || '–',
  },
];
/** Words for the states that processes are not usually known by. */
const stateWords: Record<string, string> = { 'disk-sleep': 'waiting for disk', 'tracing-stop': 'being debugged' };

const usual = ['id', 'cpu', 'memory', 'username', 'status', 'created', 'path'];
const choice = storedChoice('process-columns', usual);
const noPlaces: ReadonlyMap<number, TreePlace> = new Map();

export function Processes({ data: processes }: { data: ModulePayloads['processes'] }) {
  const wanted = useAddressed('filter');
  const folded = useSignal<ReadonlySet<number>>(new Set());
  const pid = Number(parameter('pid') ?? 0);
  const isTree = parameter('as') === 'tree';
  const cores = dataOf('cpu').value?.count ?? null;
  const rows = useMemo(() => filtered(processes, wanted.value, textOf), [processes, wanted.value]);
  const tree = useMemo(() => ({ places: noPlaces }), [isTree]);
  const arrange = useCallback(
    (compare: (a: Process, b: Process) => number) => {
      const { rows: arranged, places } = treeOf(processes, rows, compare, folded.value);
      tree.places = places;
      return arranged;
    },
    [processes, rows, folded.value],
  );
  const fold = (id: number) => {
    const next = new Set(folded.value);
    if (!next.delete(id)) next.add(id);
    folded.value = next;
  };
  const shown = useMemo(
    () => [
      nameColumn(isTree, tree, folded.value, fold),
      ...columns.filter(({ key }) => choice.chosen.value.includes(key)),
    ],
    [isTree, folded.value, choice.chosen.value],
  );
  const chosen = processes.find(({ id }) => id === pid);
  return (
    <Listing
      wanted={wanted}
      placeholder="Filter by name, user, PID, state…"
      of={processes.length}
      tools={
        <>
          <Segments
            legend="Arrangement"
            of={[
              ['list', 'List'],
              ['tree', 'Tree'],
            ]}
            chosen={isTree ? 'tree' : 'list'}
            choose={(as) => setParameters({ as: as === 'tree' ? as : null })}
          />
          <ColumnChoice columns={columns} chosen={choice.chosen.value} set={choice.set} />
          <p class="small">CPU: 100 % is one core{cores === null ? '' : `, ${cores * 100} % the whole machine`}.</p>
        </>
      }
      notices={processes.length === 0 ? <Reasons module="processes" /> : null}
      rows={rows}
      columns={shown}
      rowKey={({ id }) => id}
      chosen={({ id }) => id === pid}
      sortedBy="cpu"
      orderKey="processes"
      label="Processes"
      {...(isTree ? { arrange } : {})}
      details={pid > 0 ? <ProcessDetails key={pid} pid={pid} process={chosen} all={processes} /> : null}
    />
  );
}

function nameColumn(
  isTree: boolean,
  tree: { places: ReadonlyMap<number, TreePlace> },
  folded: ReadonlySet<number>,
  fold: (id: number) => void,
): Column<Process> {
  return {
    key: 'name',
    title: 'Name',
    value: ({ name }) => name.toLowerCase(),
    show({ id, name }) {
      const link = <Link to={addressWith({ pid: String(id) })}>{name}</Link>;
      const place = isTree ? tree.places.get(id) : undefined;
      if (place === undefined) return link;
      const isFolded = folded.has(id);
      return (
        <span class="twig" style={{ paddingInlineStart: `${Math.min(place.depth, 12)}rem` }}>
          {place.below === 0 ? (
            <span class="leaf" />
          ) : (
            <button
              type="button"
              class="bare"
              aria-expanded={!isFolded}
              aria-label={`${name}: ${place.below} below it`}
              onClick={() => fold(id)}
            >
              <Icon name={isFolded ? 'right' : 'down'} />
            </button>
          )}
          {link}
          {isFolded ? <span class="quiet"> +{place.below}</span> : null}
        </span>
      );
    },
    width: 'wide',
  };
}

const textOf = ({ id, name, username, path, status }: Process) => `${id} ${name} ${username} ${path} ${status}`;

interface ColumnChoiceProps {
  columns: readonly { key: string; title: string }[];
  /** Keys of those that are shown. */
  chosen: readonly string[];
  set(next: string[]): void;
}

/** Which columns of a table are shown; the order stays. */
function ColumnChoice({ columns, chosen, set }: ColumnChoiceProps) {
  const toggle = (key: string, on: boolean) =>
    set(columns.map((column) => column.key).filter((each) => (each === key ? on : chosen.includes(each))));
  return (
    <details class="choice">
      <summary>
        <Icon name="list" /> Columns
      </summary>
      <fieldset>
        <legend class="spoken">Columns that are shown</legend>
        {columns.map(({ key, title }) => (
          <Check key={key} checked={chosen.includes(key)} onChange={(checked) => toggle(key, checked)}>
            <span>{title}</span>
          </Check>
        ))}
      </fieldset>
    </details>
  );
}
