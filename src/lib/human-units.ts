/** Figures as people read them. Runs in a browser as well; no Intl, whose tables take megabytes. */

const binary = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
const decimal = ['B/s', 'kB/s', 'MB/s', 'GB/s'];

/** 3.25 GiB, 23.5 GiB, 512 B. */
export const bytesInWords = (value: number): string => scaled(value, 1024, binary);

/** 1.20 MB/s: rates count in thousands, as networks do. */
export const rateInWords = (value: number): string => scaled(value, 1000, decimal);

function scaled(value: number, step: number, units: readonly string[]): string {
  let rest = value;
  let index = 0;
  while (Math.abs(rest) >= step && index < units.length - 1) {
    rest /= step;
    index++;
  }
  const digits = index === 0 || rest >= 100 ? 0 : rest >= 10 ? 1 : 2;
  return `${rest.toFixed(digits)} ${units[index]}`;
}

/** 3 d 4 h, 2 h 5 min, 40 s: the two largest parts. */
export function durationInWords(seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [Math.floor(seconds) % 60, 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

/** 2026-11-15 07:04:12, in the local time zone. */
export function timeInWords(unixSeconds: number): string {
  const date = new Date(unixSeconds * 1000);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}
