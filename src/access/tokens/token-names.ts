import { ServiceError } from '../../lib/errors.ts';

/** Of the first token, which can do everything. */
export const firstTokenName = 'main';

/** By these the product itself speaks of somebody in logs and lists. */
const reserved = [firstTokenName, 'cli', 'command line'];

/** Throws unless a name is well-formed and cannot be taken for another one, or for the id of another token. */
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
      `There is a token ${JSON.stringify(name)} already; revoke it first, or choose another name`,
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

/** Equal for names that people take for each other on a screen. Only what the pattern above lets through is looked at. */
export function shapeOf(name: string): string {
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
