import type { Scope } from '../../access/scopes.ts';
import { allScopes, isScope } from '../../features/index.ts';
import { UsageError } from '../exit.ts';

/** Scopes as they are typed, separated by commas. */
export function scopesFrom(text: string): Scope[] {
  const wanted = text.split(',').map((part) => part.trim());
  const unknown = wanted.find((part) => !isScope(part));
  if (unknown !== undefined)
    throw new UsageError(`There is no scope ${JSON.stringify(unknown)}; available: ${allScopes.join(', ')}`);
  return [...new Set(wanted.filter(isScope))];
}
