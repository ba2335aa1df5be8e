/** Milliseconds of `90s`, `15m`, `1h`, `7d`, or of a plain number of seconds. null: it is none of these. */
export function parseSpan(text: string): number | null {
  const [, digits, unit = 's'] = /^(\d+(?:\.\d+)?) ?(s|min|m|h|d)?$/.exec(text.trim()) ?? [];
  if (digits === undefined) return null;
  return Number(digits) * (unitMs[unit] ?? 1000);
}

const clockTime = /^(\d{1,2}):(\d{2})$/;
const unitMs: Record<string, number> = { s: 1000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/** Unix milliseconds of an ISO time, of a number of them, or of the last `14:30` by the clock of this machine. null: it is none of these. */
export function parseMoment(text: string, now: number): number | null {
  const [, hours, minutes] = clockTime.exec(text.trim()) ?? [];
  if (hours !== undefined && minutes !== undefined) {
    const moment = new Date(now);
    moment.setHours(Number(hours), Number(minutes), 0, 0);
    if (moment.getTime() > now) moment.setDate(moment.getDate() - 1);
    return Number(hours) < 24 && Number(minutes) < 60 ? moment.getTime() : null;
  }
  const value = /^\d{10,16}$/.test(text.trim()) ? Number(text) : Date.parse(text);
  return Number.isNaN(value) ? null : value;
}

/** The same of a time to come: `14:30` is the next one. */
export function parseNextMoment(text: string, now: number): number | null {
  const moment = parseMoment(text, now);
  if (moment === null || !clockTime.test(text.trim())) return moment;
  const next = new Date(moment);
  next.setDate(next.getDate() + 1);
  return next.getTime();
}
