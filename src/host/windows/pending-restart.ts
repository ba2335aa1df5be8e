import type { Native } from './native/native.ts';

const current = 'SOFTWARE\\Microsoft\\Windows\\CurrentVersion';
const keys: readonly [key: string, sentence: string][] = [
  [
    `${current}\\Component Based Servicing\\RebootPending`,
    'A part of Windows that was installed or removed waits for it',
  ],
  [`${current}\\WindowsUpdate\\Auto Update\\RebootRequired`, 'Windows Update waits for it'],
];
const renames = 'SYSTEM\\CurrentControlSet\\Control\\Session Manager';

/** Why the machine needs a restart, as sentences; empty: it does not. */
export function windowsRestartReasons({ advapi32 }: Pick<Native, 'advapi32'>): string[] {
  const found = keys.filter(([key]) => advapi32.hasKey('HKLM', key)).map(([, sentence]) => sentence);
  const isRenaming = (advapi32.value('HKLM', renames, 'PendingFileRenameOperations') ?? '') !== '';
  return isRenaming ? [...found, 'Files that are in use are to be replaced'] : found;
}
