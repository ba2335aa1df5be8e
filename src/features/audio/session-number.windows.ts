/** Windows identifies a session by a long text; clients get a number that is stable for the session. */
export function sessionNumber(id: string): number {
  // 32-bit FNV-1a.
  let number = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) number = Math.imul(number ^ id.charCodeAt(at), 0x01000193);
  return number >>> 0;
}
