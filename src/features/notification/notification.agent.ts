import type { AgentTool, AgentUse } from '../../core/agent.ts';
import { strayMarks } from '../../lib/quoted.ts';
import type { NotificationInput, NotificationOutput } from './notification.schema.ts';

const sendNotification: AgentTool = {
  name: 'send_notification',
  title: 'Notification',
  description: 'Shows a notification to the user.',
  input: async () => (await import('./notification.schema.ts')).sendNotificationInputSchema,
  output: async () => (await import('./notification.schema.ts')).sendNotificationOutputSchema,
  destructive: false,
  idempotent: false,
  byDefault: true,
  everyMs: 2000,
  unlogged: ['title', 'message', 'actions'],
};

/** Seconds; less than agents wait for an answer. */
const waitSeconds = 45;

export const notificationUse: AgentUse<NotificationOutput> = {
  tool: sendNotification,
  toInput: ({ title, message, actions }) => ({
    title,
    message,
    ...(Array.isArray(actions) && actions.length > 0
      ? { actions: actions.map((label) => ({ command: label, label })), wait: waitSeconds }
      : {}),
  }),
  toOutput: ({ data: { pressed } }) => ({ shown: true, ...(pressed === undefined ? {} : { pressed }) }),
};

/** Names the agent in words that no title can hide, so that it cannot be mistaken for a permission prompt. */
export async function asAgents(input: NotificationInput, tokenName: string): Promise<NotificationInput> {
  const actions = input.actions ?? [];
  if (actions.length > 0) {
    const { refuseConsent } = await import('./notification.consent.ts');
    // Invisible characters become blanks, which may or may not separate words.
    for (const { label } of actions) for (const seen of [label, visible(label)]) refuseConsent(seen);
  }
  return {
    ...input,
    title: `Agent ${JSON.stringify(visible(tokenName))}: ${visible(input.title)}`,
    message: input.message?.split('\n').map(visible).join('\n'),
    actions: input.actions?.map((action) => ({ ...action, label: `Reply: ${visible(action.label)}` })),
  };
}

/** Composed, without characters that reverse text, hide it, begin a new line or are drawn over the words around them. */
const visible = (text: string) =>
  text
    .toWellFormed()
    .replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\s]+/gu, ' ')
    .normalize('NFC')
    .replace(strayMarks, '')
    .trim();
