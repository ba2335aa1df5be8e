import type { HistorySampler } from '../../../core/readings/history.ts';
import type { Files } from '../../../host/linux/files.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { sessionName } from '../system.readings.ts';
import { readUtmp } from './utmp.ts';

const records = ['/run/utmp', '/var/run/utmp', '/run/systemd/sessions'];

/** The login records, or the files of logind without them: read when one of them has changed. */
export function systemHistoryLinux({ files, environment }: LinuxHost): HistorySampler {
  let changed: string | null = null;
  return {
    sample(moment) {
      const now = records.map((file) => files.modified(file)).join(' ');
      if (now === changed) return;
      changed = now;
      const logins = readUtmp(files, environment.machine);
      const alive = (logins ?? []).filter(({ pid }) => pid === 0 || files.exists(`/proc/${pid}`));
      moment.members('sessions', alive.length > 0 ? alive.map(sessionName) : logindSessions(files));
    },
  };
}

/** Files of `NAME=value` lines, one for each session. */
function logindSessions(files: Files): string[] {
  return files.entries('/run/systemd/sessions').flatMap((id) => {
    if (!/^\w+$/.test(id)) return [];
    const text = files.text(`/run/systemd/sessions/${id}`) ?? '';
    const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? '';
    if (!value('CLASS').startsWith('user') || value('USER') === '' || value('STATE') === 'closing') return [];
    return [sessionName({ name: value('USER'), terminal: value('TTY'), host: value('REMOTE_HOST') })];
  });
}
