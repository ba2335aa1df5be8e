import fs from 'node:fs';
import type { LinuxHost } from '../host/linux/linux-host.ts';
import type { AppPlatform } from './platform.ts';

export function appOnLinux(host: LinuxHost): AppPlatform {
  const { environment, clock } = host;
  nameProcess();
  const logLine = journalLines(environment.variable('JOURNAL_STREAM'));
  const supervisor = async () => (await import('./supervisor.linux.ts')).openSupervisor(process.env, clock);
  return {
    tray: {
      isLive: true,
      show: async (view, events) => (await import('./tray/linux/tray.ts')).showOnLinux(host, view, events),
    },
    ...(logLine === null ? {} : { logLine }),
    ...(environment.variable('NOTIFY_SOCKET') === null ? {} : { supervisor }),
  };
}

/** The kernel names a process after its file, which from source is that of the runtime. `ps`, `top` and `pgrep` show this name. */
function nameProcess(): void {
  try {
    fs.writeFileSync('/proc/self/comm', 'hostler');
  } catch {
    // Without /proc the name stays.
  }
}

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
