import type { ComponentChildren } from 'preact';

interface TableColumn<T> {
  title: string;
  show(row: T): ComponentChildren;
  /** Figures are aligned to the right; `wrap` may take several lines; the title of `actions` is for screen readers. */
  kind?: 'number' | 'number quiet' | 'wrap' | 'actions';
  /** Shown on hover. */
  hint?(row: T): string;
}

interface TableProps<T> {
  columns: readonly TableColumn<T>[];
  rows: readonly T[];
  rowKey(row: T): string | number;
  /** `phone-rows`: on a phone a row is a block, with the titles before its values. */
  class?: string;
}

/** A table of a few rows in their given order. */
export function Table<T>({ columns, rows, rowKey, class: own }: TableProps<T>) {
  const isPhone = own?.includes('phone-rows') === true;
  return (
    <table class={own}>
      <thead>
        <tr>
          {columns.map(({ title, kind }) => (
            <th key={title} scope="col" class={kind?.startsWith('number') ? 'number' : undefined}>
              {kind === 'actions' ? <span class="spoken">{title}</span> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)}>
            {columns.map(({ title, show, kind, hint }, index) => (
              <td
                key={title}
                class={kind === 'actions' ? undefined : kind}
                title={hint?.(row)}
                data-label={isPhone && index > 0 && kind !== 'actions' ? title : undefined}
              >
                {show(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
