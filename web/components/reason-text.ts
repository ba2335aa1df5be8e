import { capitalised } from '../../src/lib/capitalised.ts';

/** `ENOENT: no such file or directory, open '/run/x'` → no such file or directory. */
export const withoutCodes = (reason: string): string =>
  reason.replace(/\bE[A-Z0-9]{2,}: ([^,:]+)(?:, \w+(?: '[^']*')?)?/g, '$1');

/** A reason is a fact and, after a semicolon, what to do about it. */
export function inTwo(reason: string): { fact: string; advice: string } {
  const [fact = '', ...rest] = reason.split('; ');
  return { fact: sentence(fact), advice: sentence(rest.join('; ')) };
}

const sentence = (text: string) => (text === '' ? '' : `${capitalised(text).replace(/\.$/, '')}.`);
