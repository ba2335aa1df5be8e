import type { CreateSource } from '../../core/module.ts';
import type { OpenPrompt } from '../../core/prompts/open-prompt.ts';
import type { PromptsPayload } from './prompts.schema.ts';

/** The prompt of this service; nothing is read for it. */
export const promptsSource: CreateSource<PromptsPayload> = (_host, { prompts, withheld }) => ({
  read(reasons) {
    if (prompts === undefined) {
      reasons.inherent(null, 'only a running service shows permission prompts');
      return null;
    }
    const open = prompts.current();
    return { prompts: open === null ? [] : [toShow(open)] };
  },
  ...(prompts === undefined || withheld ? {} : { watch: prompts.onChange }),
});

const toShow = ({ id, title, text, less, onMachine, opened }: OpenPrompt) => ({
  id,
  title,
  text,
  answers: [
    { answer: 'allow' as const, label: 'Allow' },
    ...(less === undefined ? [] : [{ answer: 'less' as const, label: less }]),
    { answer: 'deny' as const, label: 'Deny' },
  ],
  on_machine: onMachine === true,
  opened: opened / 1000,
});
