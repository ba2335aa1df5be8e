import { signal } from '@preact/signals';
import { lazily } from '../../src/lib/lazily.ts';

/** The usual name, until the service has reported how it was started. */
const programName = signal('hostler');

const learn = lazily(async () => {
  // Not awaited; without an answer the default stays.
  const response = await fetch('/api/login').catch(() => null);
  const said: unknown = response?.ok ? await response.json().catch(() => null) : null;
  if (typeof said === 'object' && said !== null && 'command' in said && typeof said.command === 'string')
    programName.value = said.command;
});

/** A command to type on the machine, in every sentence that names one; src/lib/own-command.ts is the same for the service. */
export function ownCommand(words: string): string {
  void learn();
  return `${programName.value} ${words}`;
}
