import path from 'node:path';
import type { Advapi32 } from '../../../host/windows/native/advapi32.ts';
import { backgroundArguments } from '../../../lib/background-flag.ts';

/** Programs that Windows starts when this user logs on. https://learn.microsoft.com/windows/win32/setupapi/run-and-runonce-registry-keys */
const runKey = 'Software\\Microsoft\\Windows\\CurrentVersion\\Run';
/** The user's choices in the Task Manager: bytes, of which an odd first one means "off". */
const approvedKey = 'Software\\Microsoft\\Windows\\CurrentVersion\\Explorer\\StartupApproved\\Run';
const name = 'Hostler';

export type Registry = Pick<Advapi32, 'value' | 'setText' | 'removeValue'>;

export interface AutostartEntry {
  /** The command that Windows would run; null: no entry of ours. */
  command: string | null;
  isSwitchedOff: boolean;
}

export function readAutostart(registry: Registry): AutostartEntry {
  const command = registry.value('HKCU', runKey, name);
  const approved = registry.value('HKCU', approvedKey, name);
  const isOff = typeof approved === 'string' && approved !== '' && approved.charCodeAt(0) % 2 === 1;
  return { command: typeof command === 'string' ? command : null, isSwitchedOff: command !== null && isOff };
}

/** Enabling it again overrides an entry that was switched off before. */
export function writeAutostart(registry: Registry, command: string): void {
  if (!registry.setText('HKCU', runKey, name, command)) throw new Error('Windows refused to write the registry entry');
  registry.removeValue('HKCU', approvedKey, name);
}

export function removeAutostart(registry: Registry): void {
  if (registry.value('HKCU', runKey, name) === null) return;
  if (!registry.removeValue('HKCU', runKey, name)) throw new Error('Windows refused to remove the registry entry');
}

/** Only the built program can be started at login, not the runtime with our sources. */
export const isOwnProgram = (program: string) => path.win32.basename(program).toLowerCase() !== 'bun.exe';

export const commandFor = (program: string) => `"${program}" ${backgroundArguments.join(' ')}`;
