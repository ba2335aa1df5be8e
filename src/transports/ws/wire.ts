/** What clients of the family take at least; updates of modules stay below it for everybody. */
export const commonLimit = 4 * 1024 * 1024;

/** Whether a text is longer in UTF-8 than a limit, without counting where the length already says it. */
export function exceeds(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  return text.length * 3 > limit && Buffer.byteLength(text) > limit;
}

/** Close codes of https://www.rfc-editor.org/rfc/rfc6455#section-7.4 */
export const closeCodes = { goingAway: 1001, policy: 1008, internal: 1011, tryLater: 1013 } as const;
