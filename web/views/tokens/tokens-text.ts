import { capitalised } from '../../../src/lib/capitalised.ts';
import { allScopes, isScope, scopeDescription, scopeLabel } from '../../state/scopes.ts';

/** Read, notify and type. */
export function scopesInWords(scopes: readonly string[]): string {
  if (allScopes.every((scope) => scopes.includes(scope))) return 'Everything';
  const parts = scopes.map(scopeLabel);
  const text = parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
  return text === '' ? 'Nothing' : capitalised(text);
}

/** Each scope with its full description. */
export const scopesInFull = (scopes: readonly string[]): string =>
  scopes.map((scope) => (isScope(scope) ? `${scope}: ${scopeDescription(scope)}` : scope)).join('\n');
