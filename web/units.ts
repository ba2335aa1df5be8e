import { inUnit, type Unit, unitRow } from '../src/lib/units.ts';

/** Values on the page; an unknown one is a dash. */
const shown = (unit: Unit) => (value: number | null | undefined, digits?: number) =>
  value === null || value === undefined ? '–' : (unitRow(unit).page?.(value, digits) ?? inUnit(value, unit));

export const bytes = shown('bytes');
export const rate = shown('bytes_per_second');
export const duration = shown('seconds');
export const percent = shown('percent');
export const celsius = shown('celsius');
export const megahertz = shown('megahertz');

/** 3:07, 1:02:33. */
export function clockTime(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (part: number) => String(part).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** By the clock of the browser, in 24 hours, with the day where the time alone would not say which. */
export function momentOf(unixSeconds: number, to: 'second' | 'minute' | 'day', withDay = false): string {
  const date = new Date(unixSeconds * 1000);
  const day = `${date.getDate()} ${months[date.getMonth()]}`;
  if (to === 'day') return day;
  const time = date.toTimeString().slice(0, to === 'second' ? 8 : 5);
  return withDay ? `${day} ${time}` : time;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** 2 min ago, in 3 h. */
export function relative(ms: number, now: number): string {
  const seconds = (now - ms) / 1000;
  if (Math.abs(seconds) < 45) return 'just now';
  const amount = rounded(Math.abs(seconds));
  return seconds > 0 ? `${amount} ago` : `in ${amount}`;
}

/** One unit is enough for what is past. */
function rounded(seconds: number): string {
  if (seconds < 3600) return duration(Math.round(seconds / 60) * 60);
  if (seconds < 86_400) return duration(Math.round(seconds / 3600) * 3600).replace(' 0 min', '');
  return `${Math.round(seconds / 86_400)} d`;
}
