export const logLevels = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Never pass tokens, typed text, notification bodies, clipboard contents or query strings. */
export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string, cause?: unknown): void;
  setLevel(level: LogLevel): void;
}

export function createLog(write: (line: string) => void, level: LogLevel, now: () => Date = () => new Date()): Log {
  let threshold = logLevels.indexOf(level);
  const at = (lineLevel: LogLevel) => (message: string) => {
    if (logLevels.indexOf(lineLevel) < threshold) return;
    write(`${now().toISOString()} ${lineLevel.padEnd(5)} ${oneLine(message)}\n`);
  };
  const error = at('ERROR');
  return {
    debug: at('DEBUG'),
    info: at('INFO'),
    warn: at('WARN'),
    error: (message, cause) => error(cause === undefined ? message : `${message}: ${describe(cause)}`),
    setLevel(next) {
      threshold = logLevels.indexOf(next);
    },
  };
}

/** Text from outside must not be able to forge a line of its own, or to steer a terminal. */
function oneLine(message: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return message.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');
}

function describe(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
