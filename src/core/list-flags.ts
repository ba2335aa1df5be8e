import type { z } from 'zod';
import { messageOf, ServiceError } from '../lib/errors.ts';
import type { CommandOption } from './command.ts';
import { type PayloadSelection, type SelectionWords, select, selectionFrom } from './json/selection.ts';

export type ListFlags = Pick<SelectionWords, 'sort' | 'limit'>;

/** For commands that print a list. */
export const listOptions: readonly CommandOption[] = [
  { flags: '--sort <field>', description: 'sort by a field of --json; with - in front, the highest first' },
  { flags: '--limit <number>', description: 'at most so many entries of each list' },
];

/** The same words as over HTTP; messages name the option. */
export function selectionOf(words: SelectionWords): PayloadSelection | null {
  try {
    return selectionFrom(words);
  } catch (error) {
    throw new ServiceError('invalid', messageOf(error).replace(/^(?=\w+ must)/, '--'));
  }
}

/** The entries to print; `of` names one of them in messages. */
export async function listed<T>(
  list: readonly T[],
  { sort, limit }: ListFlags,
  schema: () => Promise<z.ZodType>,
  of: string,
): Promise<T[]> {
  const selection = selectionOf({ sort, limit });
  // Without `fields` the entries are what they were.
  return selection === null ? [...list] : (select(list, selection, await schema(), of) as T[]);
}
