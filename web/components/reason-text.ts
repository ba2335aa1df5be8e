import { capitalised } from '../../src/lib/capitalised.ts';

/** Of a source that was just created: how long it has been waited for is for the log. */
const unanswered = /^its source has not answered yet.*$/i;

/** `ENOENT: no such file or directory, open '/run/x'` → no such file or directory. */
export const withoutCodes = (reason: string): string =>
  reason
    .replace(unanswered, 'The service is still reading this')
    .replace(/\bE[A-Z0-9]{2,}: ([^,:]+)(?:, \w+(?: '[^']*')?)?/g, '$1');

/** A reason is a fact and, after a semicolon or in a second sentence, what to do about it. */
export function inTwo(reason: string): { fact: string; advice: string } {
  const [, fact = reason, advice = ''] = /^(.*?)(?:; |\. (?=[A-Z]))(.*)$/s.exec(reason) ?? [];
  return { fact: sentence(fact), advice: sentence(advice) };
}

export const sentence = (text: string): string => (text === '' ? '' : `${capitalised(text).replace(/\.$/, '')}.`);
