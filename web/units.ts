const binary = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
const decimal = ['B/s', 'kB/s', 'MB/s', 'GB/s'];

/** As people read sizes: 3.2 GiB. */
export function bytes(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : scaled(value, 1024, binary);
}

export function rate(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : scaled(value, 1000, decimal);
}

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

export function percent(value: number | null | undefined, digits = 0): string {
  return value === null || value === undefined ? '–' : `${value.toFixed(digits)} %`;
}

export function celsius(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : `${value.toFixed(value >= 100 ? 0 : 1)} °C`;
}

/** 3 d 4 h, 12 min, 40 s: the two largest parts. */
export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return '–';
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
