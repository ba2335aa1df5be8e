import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Filter } from './filter.tsx';
import { VirtualTable, type VirtualTableProps } from './virtual-table.tsx';

interface ListingProps<T> extends VirtualTableProps<T> {
  /** The search text. */
  wanted: Signal<string>;
  placeholder: string;
  /** Number of entries without the search. */
  of: number;
  /** Beside the search. */
  tools?: ComponentChildren;
  /** Notices above the list. */
  notices?: ComponentChildren;
  /** Details of the selected entry; null: none. */
  details: ComponentChildren | null;
}

/** A searchable, sortable list with the details of one entry beside it. */
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
