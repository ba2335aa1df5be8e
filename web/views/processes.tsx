import { useSignal } from '@preact/signals';
import { useCallback, useMemo } from 'preact/hooks';
import { ColumnChoice } from '../parts/column-choice.tsx';
import { Filter, filtered } from '../parts/filter.tsx';
import { Icon } from '../parts/icon.tsx';
import { keptChoice } from '../parts/kept-choice.ts';
import { Absent, Reasons } from '../parts/reasons.tsx';
import { When } from '../parts/time.tsx';
import { useAddressed } from '../parts/use-addressed.ts';
import { type Column, VirtualTable } from '../parts/virtual-table.tsx';
import { addressWith, Link, parameter, setParameters } from '../route.tsx';
import { dataOf, useModule } from '../state/live.ts';
import { type Process, type TreePlace, treeOf } from '../state/process-tree.ts';
import { percent } from '../units.ts';
import { ProcessDetails } from './process-details.tsx';

/** Besides the name, which is always there. */
const columns: Column<Process>[] = [
  {
    key: 'id',
    title: 'PID',
    value: ({ id }) => id,
    show: ({ id }) => id,
    number: true,
    secondary: true,
    width: 'narrow',
  },
  {
    key: 'cpu',
    title: 'CPU',
    value: ({ cpu_usage }) => cpu_usage,
    show: ({ cpu_usage }) => percent(cpu_usage, 1),
    number: true,
    width: 'narrow',
  },
  {
    key: 'memory',
    title: 'Memory',
    value: ({ memory_usage }) => memory_usage,
    show: ({ memory_usage }) => percent(memory_usage, 1),
    number: true,
    width: 'narrow',
  },
  {
    key: 'username',
    title: 'User',
    value: ({ username }) => username,
    show: ({ username }) => username ?? '–',
    secondary: true,
    width: 'middle',
  },
  {
    key: 'status',
    title: 'State',
    value: ({ status }) => status,
    show: ({ status }) => status ?? '–',
    secondary: true,
    width: 'middle',
  },
  {
    key: 'created',
    title: 'Started',
    value: ({ created }) => created,
    show: ({ created }) => <When at={created === null ? null : created * 1000} />,
    number: true,
    secondary: true,
    width: 'middle',
  },
  {
    key: 'path',
    title: 'Program',
    value: ({ path }) => path,
    show: ({ path }) => path ?? '–',
    secondary: true,
    width: 'wide',
  },
  {
    key: 'directory',
    title: 'Directory',
    value: ({ working_directory }) => working_directory,
    show: ({ working_directory }) => working_directory ?? '–',
    secondary: true,
    width: 'wide',
  },
  {
    key: 'parent',
    title: 'Parent PID',
    value: ({ parent_id }) => parent_id,
    show: ({ parent_id }) => (parent_id === 0 ? '–' : parent_id),
    number: true,
    secondary: true,
    width: 'narrow',
  },
];
const usual = ['id', 'cpu', 'memory', 'username', 'status', 'created', 'path'];
const choice = keptChoice('process-columns', usual);
const noPlaces: ReadonlyMap<number, TreePlace> = new Map();

export function Processes() {
  const processes = useModule('processes');
  const wanted = useAddressed('filter');
  const folded = useSignal<ReadonlySet<number>>(new Set());
  const pid = Number(parameter('pid') ?? 0);
  const isTree = parameter('as') === 'tree';
  const cores = dataOf('cpu').value?.count ?? null;
  const rows = useMemo(() => filtered(processes ?? [], wanted.value, textOf), [processes, wanted.value]);
  const tree = useMemo(() => ({ places: noPlaces }), [isTree]);
  const arrange = useCallback(
    (compare: (a: Process, b: Process) => number) => {
      const { rows: arranged, places } = treeOf(processes ?? [], rows, compare, folded.value);
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
  if (processes === null) return <Absent module="processes" whole />;
  const chosen = processes.find(({ id }) => id === pid);
  return (
    <div class="fill">
      <div class="toolbar">
        <Filter
          value={wanted}
          placeholder="Filter by name, user, PID, state…"
          shown={rows.length}
          of={processes.length}
        />
        <fieldset class="segments">
          <legend class="spoken">Arrangement</legend>
          {(['list', 'tree'] as const).map((as) => (
            <button
              key={as}
              type="button"
              aria-pressed={isTree === (as === 'tree')}
              onClick={() => setParameters({ as: as === 'tree' ? 'tree' : null })}
            >
              {as === 'tree' ? 'Tree' : 'List'}
            </button>
          ))}
        </fieldset>
        <ColumnChoice columns={columns} chosen={choice.chosen.value} set={choice.set} />
        <p class="small">CPU: 100 % is one core{cores === null ? '' : `, ${cores * 100} % the whole machine`}.</p>
      </div>
      {processes.length === 0 ? <Reasons module="processes" /> : null}
      <div class={pid > 0 ? 'split open' : 'split'}>
        <VirtualTable
          rows={rows}
          columns={shown}
          rowKey={({ id }) => id}
          chosen={({ id }) => id === pid}
          sortedBy="cpu"
          kept="processes"
          label="Processes"
          {...(isTree ? { arrange } : {})}
        />
        {pid > 0 ? (
          <ProcessDetails
            key={pid}
            pid={pid}
            process={chosen}
            all={processes}
            close={() => setParameters({ pid: null })}
          />
        ) : null}
      </div>
    </div>
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
