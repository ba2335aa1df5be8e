import { bytesInWords, durationInWords, rateInWords } from '../src/lib/human-units.ts';

/** Figures on the page; what is unknown is a dash. */
const orDash =
  (inWords: (value: number) => string) =>
  (value: number | null | undefined): string =>
    value === null || value === undefined ? '–' : inWords(value);

export const bytes = orDash(bytesInWords);
export const rate = orDash(rateInWords);
export const duration = orDash(durationInWords);

export function percent(value: number | null | undefined, digits = 0): string {
  return value === null || value === undefined ? '–' : `${value.toFixed(digits)} %`;
}

export function celsius(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : `${value.toFixed(value >= 100 ? 0 : 1)} °C`;
}

/** 3:07, 1:02:33. */
export function clockTime(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (part: number) => String(part).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

export function megahertz(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  return value >= 1000 ? `${(value / 1000).toFixed(2)} GHz` : `${value.toFixed(0)} MHz`;
}

/** 2026-11-15 07:04, where the browser is. */
export function localTime(time: string): string {
  const date = new Date(time);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
