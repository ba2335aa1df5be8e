import type { CommandContext } from '../../core/command.ts';
import { ServiceError } from '../../lib/errors.ts';
import { ownCommand } from '../../lib/own-command.ts';
import type { PromptsPayload } from './prompts.schema.ts';

/** Without an id it lists, so that what is allowed was shown before. */
export async function approve(
  { call, readRunning, print, isJson, answer }: CommandContext,
  id: string | undefined,
  { deny = false, less = false }: { deny?: boolean; less?: boolean },
): Promise<void> {
  if (deny && less) throw new ServiceError('invalid', 'Give --deny or --less, not both');
  if (id !== undefined) {
    const wanted = deny ? 'deny' : less ? 'less' : 'allow';
    const { message, data } = await call('prompts.answer', { id, answer: wanted });
    return await answer(data, `${message}.`);
  }
  if (deny || less) throw new ServiceError('invalid', `Give the id as well; "${ownCommand('approve')}" shows it`);
  const { prompts } = (await readRunning('prompts')) as PromptsPayload;
  if (isJson) return await answer(prompts ?? []);
  if (prompts === null || prompts.length === 0) return print('No permission prompt is open.');
  for (const { id, title, text, answers } of prompts) {
    print(title);
    for (const line of text.split('\n')) print(`  ${line}`);
    print('');
    print(`Allow:  ${ownCommand(`approve ${id}`)}`);
    const part = answers.find((each) => each.answer === 'less');
    if (part !== undefined) print(`${part.label}:  ${ownCommand(`approve ${id} --less`)}`);
    print(`Deny:   ${ownCommand(`approve ${id} --deny`)}`);
  }
}
