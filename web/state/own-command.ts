import { signal } from '@preact/signals';
import { lazily } from '../../src/lib/lazily.ts';

/** As most people have it, until the service has said how it was started. */
const programName = signal('hostler');

const learn = lazily(async () => {
  // Nobody waits for it, and without an answer the usual name stands.
  const answer = await fetch('/api/login').catch(() => null);
  const said: unknown = answer?.ok ? await answer.json().catch(() => null) : null;
  if (typeof said === 'object' && said !== null && 'command' in said && typeof said.command === 'string')
    programName.value = said.command;
});

/** A command to type on the machine, in every sentence that names one; src/lib/own-command.ts is the same for the service. */
export function ownCommand(words: string): string {
  void learn();
  return `${programName.value} ${words}`;
}
