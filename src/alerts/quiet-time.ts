import type { AlertRule } from './alerts.settings.schema.ts';

type QuietTime = NonNullable<AlertRule['quiet']>;

/** By the clock of this machine in its own time zone. From 22:00 to 07:00 goes over midnight; from one time to the same is the whole day. */
export function isQuietAt({ from, to }: QuietTime, nowMs: number): boolean {
  const now = new Date(nowMs);
  const minute = now.getHours() * 60 + now.getMinutes();
  const [begin, end] = [minuteOf(from), minuteOf(to)];
  return begin < end ? minute >= begin && minute < end : minute >= begin || minute < end;
}

function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}
