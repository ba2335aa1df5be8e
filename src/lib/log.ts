import { harmless } from './harmless-text.ts';
export const logLevels = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const;
export type LogLevel = (typeof logLevels)[number];

export const logFormats = ['text', 'json'] as const;
/** `json`: one object a line, with time, level and message. */
export type LogFormat = (typeof logFormats)[number];

/** Never pass tokens, typed text, notification bodies, clipboard contents or query strings. */
export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string, cause?: unknown): void;
  /** Whether debug lines are written. Check it before work that only serves them. */
  isDebug(): boolean;
  setLevel(level: LogLevel): void;
  /** From the next line on, and for those that were held until the format is known. */
  setFormat(format: LogFormat): void;
}

/** `text` is the line as people read it, whatever the format. */
export type WriteLine = (line: string, text: string) => void;

/** `first` null: it is not known yet, so lines are held until it is. */
export function createLog(
  write: WriteLine,
  level: LogLevel,
  now: () => Date = () => new Date(),
  first: LogFormat | null = 'text',
): Log {
  let threshold = logLevels.indexOf(level);
  let format = first;
  let held: LogEntry[] = [];
  const put = (entry: LogEntry) => {
    if (format === null) held.push(entry);
    else write(lineOf(entry, format), lineOf(entry, 'text'));
  };
  const at = (lineLevel: LogLevel) => (message: string) => {
    if (logLevels.indexOf(lineLevel) < threshold) return;
    put({ time: now().toISOString(), level: lineLevel, message: oneLine(message) });
  };
  const error = at('ERROR');
  return {
    debug: at('DEBUG'),
    info: at('INFO'),
    warn: at('WARN'),
    error: (message, cause) => error(cause === undefined ? message : `${message}: ${describe(cause)}`),
    isDebug: () => threshold === 0,
    setLevel(next) {
      threshold = logLevels.indexOf(next);
    },
    setFormat(next) {
      format = next;
      const waiting = held;
      held = [];
      for (const entry of waiting) put(entry);
    },
  };
}

export interface LogEntry {
  time: string;
  level: LogLevel;
  message: string;
}

/** With its end. */
export function lineOf(entry: LogEntry, format: LogFormat): string {
  if (format === 'json') return `${JSON.stringify(entry)}\n`;
  return `${entry.time} ${entry.level.padEnd(5)} ${entry.message}\n`;
}

/** Untrusted text must not forge a log line or control a terminal. */
function oneLine(message: string): string {
  return harmless(message.replace(/[\t\n\r]+/g, ' '));
}

function describe(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
