import fs from 'node:fs';
import type { LinuxHost } from '../host/linux/linux-host.ts';
import { journalLines } from './journal-lines.linux.ts';
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
