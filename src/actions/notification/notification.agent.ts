import type { AgentTool, AgentUse } from '../../core/agent.ts';
import type { NotificationOutput } from './notification.schema.ts';

const sendNotification: AgentTool = {
  name: 'send_notification',
  title: 'Notification',
  description: 'Shows a notification to the user of the machine.',
  input: async () => (await import('./notification.agent.schema.ts')).sendNotificationInputSchema,
  output: async () => (await import('./notification.agent.schema.ts')).sendNotificationOutputSchema,
  destructive: false,
  idempotent: false,
  byDefault: true,
  everyMs: 2000,
  unlogged: ['title', 'message', 'actions'],
};

/** Seconds; less than agents wait for an answer. */
const patience = 45;

export const notificationUse: AgentUse<NotificationOutput> = {
  tool: sendNotification,
  toInput: ({ title, message, actions }) => ({
    title,
    message,
    ...(Array.isArray(actions) && actions.length > 0
      ? { actions: actions.map((label) => ({ command: label, label })), wait: patience }
      : {}),
  }),
  toOutput: ({ data: { pressed } }) => ({ shown: true, ...(pressed === undefined ? {} : { pressed }) }),
};
