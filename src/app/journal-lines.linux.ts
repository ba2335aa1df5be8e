import fs from 'node:fs';

/** https://man7.org/linux/man-pages/man3/sd-daemon.3.html */
const priorities: Record<string, number> = { ERROR: 3, WARN: 4, INFO: 6, DEBUG: 7 };

const standardError = 2;

/**
 * Formats a log line for the journal, which records the time itself and takes the level from a number at the beginning. null: standard
 * error is not the journal, whatever JOURNAL_STREAM says.
 */
export function journalLines(
  stream: string | null,
  identityOf: (descriptor: number) => string = deviceAndInode,
): ((line: string) => string) | null {
  if (stream === null || identityOf(standardError) !== stream) return null;
  return (line) => {
    const [, jsonLevel = ''] = /^\{"time":"[^"]*","level":"(\w+)"/.exec(line) ?? [];
    if (jsonLevel !== '') return `<${priorities[jsonLevel] ?? 6}>${line}`;
    const [, level = '', message = line] = /^\S+ (\w+) +(.*)$/s.exec(line) ?? [];
    const priority = priorities[level];
    return priority === undefined ? line : `<${priority}>${message}`;
  };
}

function deviceAndInode(descriptor: number): string {
  try {
    const { dev, ino } = fs.fstatSync(descriptor, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return '';
  }
}
