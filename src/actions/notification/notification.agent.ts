import type { AgentTool, AgentUse } from '../../core/agent.ts';
import { ServiceError } from '../../lib/errors.ts';
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

/** A notification of an agent says whose it is, in words that no title can hide, and looks like no question of this service. */
export function asAgents(input: NotificationInput, tokenName: string): NotificationInput {
  return {
    ...input,
    title: `Agent ${JSON.stringify(visible(tokenName))}: ${visible(input.title)}`,
    message: input.message?.split('\n').map(visible).join('\n'),
    actions: input.actions?.map((action) => ({ ...action, label: `Reply: ${notConsent(visible(action.label))}` })),
  };
}

/** Without what turns words around, hides them or begins a new line. */
const visible = (text: string) =>
  text
    .toWellFormed()
    .replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\s]+/gu, ' ')
    .trim();

/** The two words by which users agree: nothing else on their screen may teach them to press these without reading. */
function notConsent(label: string): string {
  const letters = [...label.normalize('NFKD').toLowerCase()].map((letter) => lookalikes[letter] ?? letter);
  if (!/^(allow|deny)$/.test(letters.join('').replace(/[^\p{L}]/gu, ''))) return label;
  throw new ServiceError(
    'invalid',
    'A button of a notification cannot say Allow or Deny, as the questions of this service do: use other words',
  );
}

/** What looks like a letter of the two words. */
const lookalikes: Record<string, string> = {
  а: 'a',
  α: 'a',
  ɑ: 'a',
  ӏ: 'l',
  ı: 'l',
  i: 'l',
  1: 'l',
  '|': 'l',
  0: 'o',
  о: 'o',
  ο: 'o',
  ԝ: 'w',
  ѡ: 'w',
  ω: 'w',
  ԁ: 'd',
  е: 'e',
  ε: 'e',
  п: 'n',
  η: 'n',
  у: 'y',
  γ: 'y',
  ү: 'y',
};
