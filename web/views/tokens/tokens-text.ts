import { allScopes, isScope, scopes as meanings } from '../../../src/access/scopes.ts';

/** What a token may do, as one says it. */
const words: Record<string, string> = {
  read: 'read',
  files: 'read files',
  media: 'control media and volume',
  notify: 'notify',
  chat: 'control voice chat',
  control: 'open things and lock',
  input: 'type',
  power: 'control power',
  processes: 'end processes',
  containers: 'control containers',
  command: 'run commands',
  admin: 'administer',
};

/** Read, notify and type. */
export function scopesInWords(scopes: readonly string[]): string {
  if (allScopes.every((scope) => scopes.includes(scope))) return 'Everything';
  const parts = scopes.map((scope) => words[scope] ?? scope);
  const text = parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
  return text === '' ? 'Nothing' : `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Each scope with its whole meaning, for those who want to know. */
export const scopesInFull = (scopes: readonly string[]): string =>
  scopes.map((scope) => (isScope(scope) ? `${scope}: ${meanings[scope]}` : scope)).join('\n');
