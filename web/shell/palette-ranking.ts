import type { iconShapes } from '../components/icon-shapes.generated.ts';
import { matchOf, synonymsOf, wordsOf } from './search-words.ts';

export interface PaletteEntry {
  id: string;
  title: string;
  kind: 'View' | 'Reading' | 'Action' | 'Range' | 'Process' | 'Setting';
  icon: keyof typeof iconShapes;
  /** On the right, instead of its kind. */
  detail?: string;
  /** Additional search terms. */
  words: string;
  /** After everything else, such as threads of the kernel. */
  isLast?: boolean;
  run(): void;
}

const mostFound = 40;

/** Every word, or a synonym of it, has to occur; names that begin with it come first. Processes appear only with a search text. */
export function ranked(entries: readonly PaletteEntry[], wanted: string): PaletteEntry[] {
  const words = wordsOf(wanted);
  if (words.length === 0) return entries.filter(({ kind }) => kind === 'View' || kind === 'Action').slice(0, mostFound);
  return entries
    .flatMap((each) => {
      const score = scoreOf(each, words);
      return score === null ? [] : [{ each, score: score + order.indexOf(each.kind) / 10 }];
    })
    .toSorted((a, b) => a.score - b.score)
    .slice(0, mostFound)
    .map(({ each }) => each);
}

/** Lower is better; null: no match. */
function scoreOf({ title, kind, words: more, isLast = false }: PaletteEntry, words: readonly string[]): number | null {
  const name = title.toLowerCase();
  const inName = words.every((word) => name.includes(word)) ? 0 : matchOf(name, words);
  const found = inName === 0 ? 0 : matchOf(`${name} ${kind} ${more}`.toLowerCase(), words);
  if (found === null) return null;
  if (isLast) return 20 + found;
  // A process has to be called what was typed; it still comes after what the page itself offers.
  if (kind === 'Process') return found === 1 ? null : 10 + placeIn(name, words);
  if (inName === null) return 3 + found;
  if (inName === 0) return placeIn(name, words);
  return synonymsOf(words[0] ?? '').some((each) => name.startsWith(each)) ? 2.2 : 2.5;
}

function placeIn(name: string, [first = '', ...others]: readonly string[]): number {
  if (name === [first, ...others].join(' ')) return 0;
  return name.startsWith(first) ? 1 : 2;
}

const order: readonly PaletteEntry['kind'][] = ['View', 'Reading', 'Action', 'Range', 'Setting', 'Process'];
