import { type ActionContext, defineAction } from '../../core/action.ts';
import type { Answerer, UserDecision } from '../../core/agent.ts';
import { commandLineId, isLocal, shownAddress } from '../../core/caller.ts';
import { defineFeature } from '../../core/feature.ts';
import { ServiceError } from '../../lib/errors.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { promptsCommands } from './prompts.commands.ts';
import type { PromptsAnswer, PromptsAnswerInput, PromptsPayload } from './prompts.schema.ts';

const source = async () => (await import('./prompts.source.ts')).promptsSource;

const promptsAnswer = defineAction<PromptsAnswerInput, PromptsAnswer>({
  name: 'prompts.answer',
  description: 'Answers the open permission prompt; for browsers with the scope admin and for the command line only',
  input: async () => (await import('./prompts.schema.ts')).promptsAnswerInputSchema,
  output: async () => (await import('./prompts.schema.ts')).promptsAnswerOutputSchema,
  scopes: ['admin'],
  effect: 'write',
  // What it allows is refused during a pause by itself.
  duringPause: true,
  example: { id: '1f0c9a2b', answer: 'deny' },
  wire: { event: 'PROMPT_ANSWER', reply: 'PROMPT_ANSWERED' },
  unavailable: async () => null,
  async run({ id, answer }, context) {
    const by = answererOf(context);
    const { prompts, caller } = context;
    const open = prompts?.current();
    if (open?.id === id && answer !== 'deny') {
      if (open.onMachine && !(await isLocal(caller))) throw notHere(id);
      if (answer === 'less' && open.less === undefined)
        throw new ServiceError('invalid', 'This prompt has two answers only: allow and deny');
    }
    if (prompts === undefined) throw new ServiceError('unsupported', 'This process shows no permission prompts');
    prompts.answer(id, decisions[answer], by);
    return { message: answer === 'deny' ? 'Denied' : 'Allowed', data: { id, answer } };
  },
});

const decisions: Record<PromptsAnswerInput['answer'], UserDecision> = {
  allow: 'allowed',
  less: 'less',
  deny: 'denied',
};

/** A token alone does not answer, whatever its scopes: it may be that of the agent that asks. */
function answererOf({ caller }: ActionContext): Answerer {
  if (caller.tokenId === commandLineId) return { at: 'command', who: 'the command line' };
  const { tokenName, tokenId, connection } = caller;
  if (caller.isBrowser)
    return {
      at: 'dashboard',
      who: `${JSON.stringify(tokenName)} (${tokenId}) at ${shownAddress(connection().address)}`,
    };
  throw new ServiceError(
    'forbidden',
    `Permission prompts are for users: answer them in the dashboard, or with "${ownCommand('approve')}" on the machine itself. A token is not enough`,
  );
}

const notHere = (id: string) =>
  new ServiceError(
    'forbidden',
    `Devices are let in on the machine itself only: run "${ownCommand(`approve ${id}`)}" there`,
  );

export const promptsFeature = defineFeature<PromptsPayload>({
  name: 'prompts',
  title: 'Permission prompts',
  module: {
    description: 'The permission prompt that waits for an answer, for users with the scope admin',
    schema: async () => (await import('./prompts.schema.ts')).promptsSchema,
    // A prompt is pushed when it opens and closes.
    everyMs: 60_000,
    empty: { prompts: [] },
    guarded: { field: 'prompts', scope: 'admin', agents: false },
    sources: { linux: source, windows: source, darwin: source },
  },
  actions: [promptsAnswer],
  commands: promptsCommands,
});
