import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Filter } from './filter.tsx';
import { VirtualTable, type VirtualTableProps } from './virtual-table.tsx';

interface ListingProps<T> extends VirtualTableProps<T> {
  /** What it is searched for. */
  wanted: Signal<string>;
  placeholder: string;
  /** How many there are without the search. */
  of: number;
  /** Beside the search. */
  tools?: ComponentChildren;
  /** Notices above the list. */
  notices?: ComponentChildren;
  /** One of them in detail; null: none is chosen. */
  details: ComponentChildren | null;
}

/** A long list that is searched and sorted, and one of its entries in detail beside it. */
export function Listing<T>({
  wanted,
  placeholder,
  of,
  tools = null,
  notices = null,
  details,
  ...table
}: ListingProps<T>) {
  return (
    <div class="fill">
      <div class="toolbar">
        <Filter value={wanted} placeholder={placeholder} shown={table.rows.length} of={of} />
        {tools}
      </div>
      {notices}
      <div class={details === null ? 'split' : 'split open'}>
        <VirtualTable {...table} />
        {details}
      </div>
    </div>
  );
}
