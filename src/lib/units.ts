/** Units and how their values are written. Runs in a browser as well; no Intl, whose tables take megabytes. */

interface UnitRow {
  symbol: string;
  /** For people. The default is the number with at most two decimals, and the symbol. */
  text?(value: number): string;
  /** On the dashboard, if it differs from `text`. */
  page?(value: number, digits?: number): string;
  /** In Home Assistant. Without it an entity has no unit unless its row names one. */
  entity?: { deviceClass?: string; digits: number };
  /** A unit of recorded series: the number of decimals in a chart, or a function that writes the whole text. */
  recorded?: { digits?: number; text?(value: number): string };
}

/** Every unit, by its name in `x-unit` of the API documents, in the tables of readings and in the history. */
export const units = {
  bytes: { symbol: 'B', text: bytesInWords, recorded: { text: (value) => decimal(value, 'B') } },
  mebibytes: { symbol: 'MiB', text: (value) => bytesInWords(value * 2 ** 20) },
  bytes_per_second: { symbol: 'B/s', text: rateInWords, recorded: { text: (value) => decimal(value, 'B/s') } },
  bits_per_second: { symbol: 'bit/s' },
  megabits_per_second: { symbol: 'Mbit/s' },
  seconds: { symbol: 's', text: durationInWords, entity: { deviceClass: 'duration', digits: 0 } },
  milliseconds: {
    symbol: 'ms',
    text: (value) => (value < 1000 ? withSymbol(value, 'ms') : durationInWords(value / 1000)),
  },
  // Where a field cannot be null, 0 stands for "unknown".
  unix_seconds: { symbol: '', text: (value) => (value === 0 ? '-' : timeInWords(value)) },
  percent: {
    symbol: '%',
    page: (value, digits = 0) => `${value.toFixed(digits)} %`,
    entity: { digits: 1 },
    recorded: { digits: 0 },
  },
  celsius: {
    symbol: '°C',
    page: (value) => `${value.toFixed(value >= 100 ? 0 : 1)} °C`,
    entity: { deviceClass: 'temperature', digits: 1 },
    recorded: { digits: 0 },
  },
  hertz: { symbol: 'Hz' },
  megahertz: {
    symbol: 'MHz',
    page: (value) => (value >= 1000 ? `${(value / 1000).toFixed(2)} GHz` : `${value.toFixed(0)} MHz`),
    entity: { deviceClass: 'frequency', digits: 0 },
  },
  watts: { symbol: 'W', entity: { deviceClass: 'power', digits: 1 }, recorded: { digits: 1 } },
  volts: { symbol: 'V', entity: { deviceClass: 'voltage', digits: 3 } },
  rpm: { symbol: 'rpm' },
  pixels: { symbol: 'px' },
  millimetres: { symbol: 'mm' },
  decibels: { symbol: 'dB' },
  processes: { symbol: '', recorded: {} },
} as const satisfies Record<string, UnitRow>;

export type Unit = keyof typeof units;
/** The units of the series in the history. */
export type RecordedUnit = { [U in Unit]: (typeof units)[U] extends { recorded: object } ? U : never }[Unit];

/** The table without its literal types. */
const rows: Record<Unit, UnitRow> = units;

export const isUnit = (name: unknown): name is Unit => typeof name === 'string' && Object.hasOwn(units, name);

export const unitRow = (name: Unit): UnitRow => rows[name];

export function isRecorded(name: string): name is RecordedUnit {
  return isUnit(name) && rows[name].recorded !== undefined;
}

/** `23.5 GiB`, `2 h 5 min`, `3.3 V`. */
export function inUnit(value: number, unit: Unit): string {
  const { symbol, text } = rows[unit];
  return text === undefined ? withSymbol(value, symbol) : text(value);
}

/**
 * A value of a recorded series. `unit` is one of the table, or the text that the settings give a sensor. `rounded` gets the decimals of the
 * unit, if it has any.
 */
export function recordedText(
  value: number,
  unit: string,
  rounded: (value: number, digits: number | undefined) => number,
): string {
  const { symbol, recorded }: UnitRow = isRecorded(unit) ? rows[unit] : { symbol: unit };
  return recorded?.text?.(value) ?? `${rounded(value, recorded?.digits)} ${symbol}`.trimEnd();
}

const withSymbol = (value: number, symbol: string) => `${Number(value.toFixed(2))} ${symbol}`;

/** Bytes in a unit that home automation shows. Divisors: a factor such as 1e-9 rounds otherwise. */
export const bytesIn = { GB: 1e9, GiB: 1024 ** 3, MiB: 1024 ** 2, 'MB/s': 1e6, 'Mbit/s': 125_000 } as const;

/** 3.25 GiB, 23.5 GiB, 512 B. */
export function bytesInWords(value: number): string {
  return scaled(value, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']);
}

/** 1.20 MB/s: rates count in thousands, as networks do. */
function rateInWords(value: number): string {
  return scaled(value, 1000, ['B/s', 'kB/s', 'MB/s', 'GB/s']);
}

function scaled(value: number, step: number, symbols: readonly string[]): string {
  let rest = value;
  let index = 0;
  while (Math.abs(rest) >= step && index < symbols.length - 1) {
    rest /= step;
    index++;
  }
  const digits = index === 0 || rest >= 100 ? 0 : rest >= 10 ? 1 : 2;
  return `${rest.toFixed(digits)} ${symbols[index]}`;
}

/** 12.3 kB: three significant digits, in thousands. */
function decimal(value: number, symbol: string): string {
  const place = Math.max(0, Math.min(4, Math.floor(Math.log10(Math.max(1, Math.abs(value))) / 3)));
  return `${Number((value / 1000 ** place).toPrecision(3))} ${['', 'k', 'M', 'G', 'T'][place]}${symbol}`;
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
