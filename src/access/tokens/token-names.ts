import { ServiceError } from '../../lib/errors.ts';

/** Name of the first token, which has every scope. */
export const firstTokenName = 'main';

/** Names that logs and lists use for callers without a token. */
const reserved = [firstTokenName, 'cli', 'command line', 'mqtt', 'the user'];

/** Throws unless a name is well-formed and cannot be confused with the name or id of another token. */
export function checkTokenName(name: string, others: readonly { id: string; name: string }[]): void {
  if (!/^[\w.:@-]([\w .:@-]{0,62}[\w.:@-])?$/.test(name)) {
    throw new ServiceError(
      'invalid',
      'A token name has 1 to 64 letters, digits, spaces or . : @ _ -, and no space at its ends',
    );
  }
  const taken = others.find((other) => other.name === name);
  if (taken !== undefined || name === firstTokenName) {
    throw new ServiceError(
      'conflict',
      `The token ${JSON.stringify(name)} exists already; revoke it first, or choose another name`,
    );
  }
  const shape = shapeOf(name);
  const own = reserved.find((word) => shapeOf(word) === shape);
  if (own !== undefined)
    throw new ServiceError(
      'conflict',
      `The name ${JSON.stringify(name)} is, or looks like, ${JSON.stringify(own)}, which Hostler uses itself; choose another one`,
    );
  const alike = others.flatMap((other) => [other.name, other.id]).find((known) => shapeOf(known) === shape);
  if (alike !== undefined)
    throw new ServiceError(
      'conflict',
      `The name ${JSON.stringify(name)} looks like ${JSON.stringify(alike)}, which is another token; choose another one`,
    );
}

/** Equal for names that look alike on a screen. Covers only the characters that the pattern above allows. */
function shapeOf(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .trim()
    .replace(/[\s_-]+/g, '-')
    .replace(/[1il|]/g, 'l')
    .replaceAll('0', 'o')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w');
}
