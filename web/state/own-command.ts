import { signal } from '@preact/signals';
import { lazily } from '../../src/lib/lazily.ts';
import { basePath } from './base-path.ts';

/** The usual name, until the service has reported how it was started. */
const programName = signal('hostler');
/** Where this service speaks TLS; undefined: not known yet, null: it does not. */
const secureWay = signal<SecureWay | null | undefined>(undefined);

export interface SecureWay {
  port: number;
  /** Devices have to trust the authority of this machine first. */
  own_authority: boolean;
}

const learn = lazily(async () => {
  // Not awaited; without an answer the default stays.
  const response = await fetch(`${basePath}/api/login`).catch(() => null);
  const said: { command?: string; secure?: SecureWay | null } | null = response?.ok
    ? await response.json().catch(() => null)
    : null;
  if (typeof said?.command === 'string') programName.value = said.command;
  secureWay.value = said?.secure ?? null;
});

export function encryptedAccess(): SecureWay | null | undefined {
  void learn();
  return secureWay.value;
}

/** A command to type on the machine, in every sentence that names one; src/lib/own-command.ts is the same for the service. */
export function ownCommand(words: string): string {
  void learn();
  return `${programName.value} ${words}`;
}
