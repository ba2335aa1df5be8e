import type { ComponentChildren } from 'preact';
import { When } from './time.tsx';
import type { Column } from './virtual-table.tsx';

type Heading = Pick<Column<unknown>, 'key' | 'title' | 'secondary'>;

/** A number, sorted by value and shown as text. */
export const figureColumn = <T,>(
  heading: Heading,
  of: (row: T) => number | null,
  inWords: (figure: number | null) => ComponentChildren,
): Column<T> => ({ ...heading, value: of, show: (row) => inWords(of(row)), number: true, width: 'narrow' });

/** A moment in Unix seconds. */
export const momentColumn = <T,>(heading: Heading, of: (row: T) => number | null): Column<T> => ({
  ...figureColumn(heading, of, (at) => <When at={at === null ? null : at * 1000} />),
  secondary: true,
  width: 'middle',
});

/** A text; a dash if empty. */
export const textColumn = <T,>(
  heading: Heading,
  of: (row: T) => string | null,
  width: Column<T>['width'],
): Column<T> => ({ ...heading, value: of, show: (row) => of(row) ?? '–', secondary: true, width });
