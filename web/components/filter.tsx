import type { Signal } from '@preact/signals';
import { set } from '../state/set.ts';

interface FilterProps {
  value: Signal<string>;
  placeholder: string;
  shown: number;
  of: number;
}

export function Filter({ value, placeholder, shown, of }: FilterProps) {
  return (
    <>
      <input
        type="search"
        aria-label="Filter"
        placeholder={placeholder}
        value={value.value}
        onInput={(event) => set(value, event.currentTarget.value)}
      />
      <p class="quiet">{shown === of ? of : `${shown} of ${of}`}</p>
    </>
  );
}

/** Entries whose text contains every word of the filter. */
export function filtered<T>(rows: readonly T[], wanted: string, textOf: (row: T) => string): readonly T[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = textOf(row).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
