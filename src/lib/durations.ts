/** Milliseconds of `500 ms`, `90s`, `15m`, `1 h 30 min`, `7d`, or of a plain number of seconds. null: it is none of these. */
export function parseSpan(text: string): number | null {
  const given = text.trim();
  if (/^\d+(?:\.\d+)?$/.test(given)) return Number(given) * 1000;
  if (!/^(?:\d+(?:\.\d+)? ?(?:ms|s|min|m|h|d)(?: |$|(?=\d)))+$/.test(given)) return null;
  const parts = given.matchAll(/([\d.]+) ?([a-z]+)/g);
  return [...parts].reduce((all, [, digits, unit = 's']) => all + Number(digits) * (unitMs[unit] ?? 1000), 0);
}

/** The same span as text, complete, so that it can be edited: `1 h 30 min`, `1.5 s`, `250 ms`. */
export function spanText(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  const parts: [number, string][] = [
    [Math.floor(ms / 86_400_000), 'd'],
    [Math.floor(ms / 3_600_000) % 24, 'h'],
    [Math.floor(ms / 60_000) % 60, 'min'],
    [(ms % 60_000) / 1000, 's'],
  ];
  const shown = parts.filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ');
}

const clockTime = /^(\d{1,2}):(\d{2})$/;
const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 };

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
