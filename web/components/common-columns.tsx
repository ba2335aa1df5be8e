import type { ComponentChildren } from 'preact';
import { percent } from '../units.ts';
import { When } from './time.tsx';
import type { Column } from './virtual-table.tsx';

type Extent = Partial<Pick<Column<unknown>, 'secondary' | 'width'>>;

export const figureColumn = <T,>(
  key: string,
  title: string,
  of: (row: T) => number | null,
  inWords: (figure: number | null) => ComponentChildren = (figure) => figure ?? '–',
  extent: Extent = {},
): Column<T> => ({ key, title, value: of, show: (row) => inWords(of(row)), number: true, width: 'narrow', ...extent });

export const shareColumn = <T,>(key: string, title: string, of: (row: T) => number | null): Column<T> =>
  figureColumn(key, title, of, (share) => percent(share, 1));

/** A moment in Unix seconds. */
export const momentColumn = <T,>(key: string, title: string, of: (row: T) => number | null): Column<T> =>
  figureColumn(key, title, of, (at) => <When at={at === null ? null : at * 1000} />, {
    secondary: true,
    width: 'middle',
  });

export const textColumn = <T,>(
  key: string,
  title: string,
  of: (row: T) => string | null,
  width: Column<T>['width'],
): Column<T> => ({ key, title, value: of, show: (row) => of(row) ?? '–', secondary: true, width });
