import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { isObject } from '../../../lib/values.ts';

/** What the journal holds, also of a service that has ended. Lines in the format of our log. */
export async function readKeptLog(
  { launch, run, environment }: Pick<LinuxHost, 'launch' | 'run' | 'environment'>,
  isSystem: boolean,
  count: number,
): Promise<string[]> {
  const program = launch.find('journalctl');
  if (program === null) throw new Error('journalctl, which reads the journal of systemd, is not installed');
  const which = isSystem ? ['--unit=hostler'] : ['--user', '--unit=hostler'];
  const fields = '--output-fields=MESSAGE,PRIORITY';
  const { exitCode, stdout, stderr } = await run(
    program,
    [...which, `--lines=${count}`, '--no-pager', '--output=json', fields],
    { env: { PATH: '/usr/bin:/bin', HOME: environment.home, LANG: 'C.UTF-8' }, timeoutMs: 20_000 },
  );
  if (exitCode !== 0) throw new Error(`The journal cannot be read: ${stderr.trim()}`);
  return stdout.split('\n').flatMap(parseEntryLine);
}

/** https://systemd.io/JOURNAL_EXPORT_FORMATS/: one object a line; bytes that are not text are numbers. */
export function parseEntryLine(line: string): string[] {
  if (line === '') return [];
  const entry: unknown = JSON.parse(line);
  if (!isObject(entry)) return [];
  const { MESSAGE: message, PRIORITY: priority, __REALTIME_TIMESTAMP: microseconds } = entry;
  const text = Array.isArray(message)
    ? new TextDecoder().decode(Uint8Array.from(message, Number))
    : String(message ?? '');
  const time = new Date(Number(microseconds) / 1000);
  return [`${time.toISOString()} ${levelOf(Number(priority ?? 6)).padEnd(5)} ${text}`];
}

function levelOf(priority: number): string {
  if (priority <= 3) return 'ERROR';
  if (priority === 4) return 'WARN';
  return priority === 7 ? 'DEBUG' : 'INFO';
}
