import type { CommandContext } from '../../core/command.ts';
import { ServiceError } from '../../lib/errors.ts';
import { ownCommand } from '../../lib/own-command.ts';
import type { PromptsPayload } from './prompts.schema.ts';

interface ApproveOptions {
  deny?: boolean;
  less?: boolean;
  json?: boolean;
}

/** Without an id it lists, so that what is allowed was shown before. */
export async function approve(
  { call, readRunning, print }: CommandContext,
  id: string | undefined,
  { deny = false, less = false, json = false }: ApproveOptions,
): Promise<void> {
  if (deny && less) throw new ServiceError('invalid', 'Give --deny or --less, not both');
  if (id !== undefined) {
    const answer = deny ? 'deny' : less ? 'less' : 'allow';
    const { message, data } = await call('prompts.answer', { id, answer });
    return print(json ? JSON.stringify(data, null, 2) : `${message}.`);
  }
  if (deny || less) throw new ServiceError('invalid', `Give the id as well; "${ownCommand('approve')}" shows it`);
  const { prompts } = (await readRunning('prompts')) as PromptsPayload;
  if (json) return print(JSON.stringify(prompts ?? [], null, 2));
  if (prompts === null || prompts.length === 0) return print('No permission prompt is open.');
  for (const { id, title, text, answers } of prompts) {
    print(title);
    for (const line of text.split('\n')) print(`  ${line}`);
    print('');
    print(`Allow:  ${ownCommand(`approve ${id}`)}`);
    const part = answers.find(({ answer }) => answer === 'less');
    if (part !== undefined) print(`${part.label}:  ${ownCommand(`approve ${id} --less`)}`);
    print(`Deny:   ${ownCommand(`approve ${id} --deny`)}`);
  }
}
