import type { Talk } from './sensors.hid.talk.ts';

/**
 * Reports of a device that sends them by itself. One that is silent was never told to, or forgot it over a sleep: only then
 * it gets the commands to begin, which may make it look for its fans anew.
 */
export async function listenFor(
  talk: Talk,
  isStatus: (report: Uint8Array) => boolean,
  begin: number[][],
): Promise<Uint8Array[]> {
  const some = (reports: Uint8Array[]) => reports.some(isStatus);
  const heard = (await talk.listen(some)).filter(isStatus);
  if (heard.length > 0) return heard;
  for (const command of begin) await talk.send(command);
  return (await talk.listen(some)).filter(isStatus);
}

export const big = (report: Uint8Array, at: number) => ((report[at] ?? 0) << 8) | (report[at + 1] ?? 0);
export const little = (report: Uint8Array, at: number) => (report[at] ?? 0) | ((report[at + 1] ?? 0) << 8);
