import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { set } from '../state/set.ts';
import { useResized } from './use-resized.ts';

interface ColumnsProps {
  /** With the approximate number of lines of each, to balance the columns. null takes no room. */
  children: readonly ([lines: number, card: ComponentChildren] | null)[];
}

/** Pixels; as .cards has them. */
const leastWidth = 352;
/** Padding of a card, in lines. */
const around = 3;

/**
 * Cards as tall as what is in them, in as many columns as there is room for. Not columns of the style sheet: a browser balances those
 * anew with every figure that changes.
 */
export function Columns({ children }: ColumnsProps) {
  const holder = useRef<HTMLDivElement>(null);
  const count = useSignal(0);
  useResized(holder, ({ clientWidth }) => set(count, Math.max(1, Math.floor((clientWidth + 16) / (leastWidth + 16)))));
  const cards = children.filter((each) => each !== null);
  const heights = cards.map(([lines]) => lines + around);
  const all = heights.reduce((sum, each) => sum + each, 0);
  // As few columns as possible without one taller than the tallest card; the columns grow instead.
  const columns = spread(cards, Math.min(count.value, Math.ceil(all / Math.max(1, ...heights))));
  return (
    <div class="columns" ref={holder}>
      {columns.map((column, index) => (
        <div key={index} class="stacked">
          {column}
        </div>
      ))}
    </div>
  );
}

/** Each to the shortest column so far, which keeps the order from top to bottom. */
function spread(cards: readonly [number, ComponentChildren][], count: number): ComponentChildren[][] {
  const columns = Array.from({ length: count }, () => ({ lines: 0, cards: [] as ComponentChildren[] }));
  for (const [lines, card] of cards) {
    const shortest = columns.reduce(
      (least, each) => (each.lines < least.lines ? each : least),
      columns[0] ?? { lines: 0, cards: [] },
    );
    shortest.lines += lines + around;
    shortest.cards.push(card);
  }
  return columns.map((column) => column.cards);
}
