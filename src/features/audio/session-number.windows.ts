/** Windows names a session of a program by a long text; clients know it by a number, which is the same as long as the session lives. */
export function sessionNumber(id: string): number {
  // FNV-1a, of 32 bits.
  let number = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) number = Math.imul(number ^ id.charCodeAt(at), 0x01000193);
  return number >>> 0;
}
