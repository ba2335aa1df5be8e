import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { set } from '../state/set.ts';
import { useResized } from './use-resized.ts';

export interface Column<T> {
  key: string;
  title: string;
  /** The value to sort by. */
  value(row: T): number | string | null;
  show(row: T): ComponentChildren;
  number?: boolean;
  /** Left out on narrow screens. */
  secondary?: boolean;
  width: 'narrow' | 'middle' | 'wide';
}

export interface VirtualTableProps<T> {
  rows: readonly T[];
  columns: readonly Column<T>[];
  /** Key of a row; default: its index. */
  rowKey?(row: T): string | number;
  sortedBy: string;
  descending?: boolean;
  label: string;
  chosen?(row: T): boolean;
  /** Key under which the order is stored while the page is open. */
  orderKey?: string;
  /** Arranges the rows, for example as a tree; default: sorted. */
  arrange?(compare: (a: T, b: T) => number): readonly T[];
}

const storedOrders = new Map<string, { key: string; descending: boolean }>();

const rowHeight = 30;
const overscan = 8;

/** A table that renders only the visible rows. */
export function VirtualTable<T>({
  rows,
  columns,
  rowKey,
  sortedBy,
  descending = true,
  label,
  chosen,
  orderKey = '',
  arrange,
}: VirtualTableProps<T>) {
  const sort = useSignal(storedOrders.get(orderKey) ?? { key: sortedBy, descending });
  const scroll = useSignal(0);
  const space = useSignal(600);
  const body = useRef<HTMLElement>(null);
  useResized(body, ({ clientHeight }) => set(space, clientHeight));

  const sorted = useMemo(() => {
    const column = columns.find(({ key }) => key === sort.value.key) ?? columns[0];
    if (column === undefined) return rows;
    const compare = by(column, sort.value.descending);
    return arrange?.(compare) ?? rows.toSorted(compare);
  }, [rows, columns, sort.value, arrange]);
  const first = Math.max(0, Math.floor(scroll.value / rowHeight) - overscan);
  const shown = sorted.slice(first, first + Math.ceil(space.value / rowHeight) + 2 * overscan);
  const after = sorted.length - first - shown.length;
  // Numbers begin with the largest, names with A.
  const toggle = ({ key, number = false }: Column<T>) => {
    sort.value = { key, descending: sort.value.key === key ? !sort.value.descending : number };
    if (orderKey !== '') storedOrders.set(orderKey, sort.value);
  };
  const direction = (key: string) =>
    sort.value.key !== key ? 'none' : sort.value.descending ? 'descending' : 'ascending';
  return (
    <section
      class="grid"
      ref={body}
      // Scrolled by keyboard as well.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
      tabIndex={0}
      aria-label={label}
      style={{ '--rows': sorted.length }}
      onScroll={(event) => set(scroll, event.currentTarget.scrollTop)}
    >
      <table aria-rowcount={sorted.length + 1}>
        <colgroup>
          {columns.map(({ key, width, secondary }) => (
            <col key={key} class={`${width} ${secondary === true ? 'secondary' : ''}`} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.key}
                class={cellClass(column.number, column.secondary)}
                aria-sort={direction(column.key)}
                scope="col"
              >
                <button type="button" onClick={() => toggle(column)}>
                  {column.title}
                  <span aria-hidden="true">{arrows[direction(column.key)]}</span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Space rows={first} />
          {shown.map((row, index) => (
            <tr
              key={rowKey?.(row) ?? first + index}
              aria-rowindex={first + index + 2}
              class={chosen?.(row) === true ? 'chosen' : ''}
            >
              {columns.map(({ key, show, number, secondary }) => (
                <td key={key} class={cellClass(number, secondary)}>
                  {show(row)}
                </td>
              ))}
            </tr>
          ))}
          <Space rows={after} />
        </tbody>
      </table>
    </section>
  );
}

function Space({ rows }: { rows: number }) {
  return rows > 0 ? <tr class="space" style={{ height: `${rows * rowHeight}px` }} /> : null;
}

const arrows = { none: '', descending: ' ↓', ascending: ' ↑' };

const cellClass = (number = false, secondary = false) => `${number ? 'number' : ''} ${secondary ? 'secondary' : ''}`;

/** Unknown values come last in both directions. */
function by<T>({ value }: Column<T>, descending: boolean): (a: T, b: T) => number {
  const sign = descending ? -1 : 1;
  return (a, b) => {
    const [left, right] = [value(a), value(b)];
    if (left === right) return 0;
    if (left === null) return 1;
    if (right === null) return -1;
    return left < right ? -sign : sign;
  };
}
