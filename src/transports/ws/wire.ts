/** The message length that every known client accepts; updates of modules stay below it. */
export const commonLimit = 4 * 1024 * 1024;

/** Whether a text is longer in UTF-8 than a limit; counts only if the string length leaves it open. */
export function exceeds(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  return text.length * 3 > limit && Buffer.byteLength(text) > limit;
}

/** Close codes of https://www.rfc-editor.org/rfc/rfc6455#section-7.4 */
export const closeCodes = { goingAway: 1001, unsupported: 1003, policy: 1008, internal: 1011, tryLater: 1013 } as const;
