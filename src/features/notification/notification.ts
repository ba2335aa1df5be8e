import { type ActionParts, defineAction } from '../../core/action.ts';
import { shareIdOf } from '../../core/caller.ts';
import { defineFeature } from '../../core/feature.ts';
import { type PerPlatform, requireFor, unavailableFor } from '../../core/platform.ts';
import { createBuckets, takeOrRefuse } from '../../lib/token-buckets.ts';
import { asAgents, notificationUse } from './notification.agent.ts';
import type { Notifier } from './notification.contract.ts';

const what = 'notification.send';
const notifiers: PerPlatform<Notifier> = {
  linux: async () => (await import('./notification.linux.ts')).notifierLinux,
  windows: async () => (await import('./notification.windows.ts')).notifierWindows,
};
const notifierFor = ({ host }: Pick<ActionParts, 'host'>) => requireFor(host, notifiers, what);
const unavailable = ({ host }: Pick<ActionParts, 'host'>) => unavailableFor(host, notifiers, what);

const createRate = ({ host, budgets }: ActionParts) =>
  createBuckets(budgets.caller.notifications.rate, host.clock.monotonic);

/** A process that ended may have left notifications on the screen. */
const earlierPresses = (parts: ActionParts) => ({
  close:
    parts.host.followEarlierPresses?.(async (press) => {
      await (await import('./notification.windows.ts')).reportEarlierPress(press, parts);
    }) ?? (() => {}),
});

export const notificationSend = defineAction({
  name: 'notification.send',
  description: 'Shows a notification on the desktop, and reports which of its buttons was pressed',
  input: async () => (await import('./notification.schema.ts')).notificationInputSchema,
  output: async () => (await import('./notification.schema.ts')).notificationOutputSchema,
  scopes: ['notify'],
  effect: 'write',
  example: { title: 'The washing is done', message: 'Ten minutes ago' },
  wire: { event: 'NOTIFICATION', reply: 'NOTIFICATION_SENT', notifications: ['NOTIFICATION_ACTION'] },
  agent: notificationUse,
  entities: async () => (await import('./notification.controls.ts')).notificationEntities,
  fromStart: earlierPresses,
  unavailable,
  async run(input, context) {
    const { isAgent, tokenName } = context.caller;
    const share = shareIdOf(context.caller);
    takeOrRefuse(context.keep(createRate), share, 'This token sends too many notifications; try again in a moment');
    return await (await notifierFor(context)).send(isAgent ? await asAgents(input, tokenName) : input, context);
  },
});

export const notificationClose = defineAction({
  name: 'notification.close',
  description: 'Closes a notification that was sent with the same token',
  input: async () => (await import('./notification.schema.ts')).notificationCloseInputSchema,
  output: async () => (await import('./notification.schema.ts')).notificationCloseOutputSchema,
  scopes: ['notify'],
  effect: 'write',
  example: { id: 1 },
  wire: { event: 'NOTIFICATION_CLOSE', reply: 'NOTIFICATION_CLOSED' },
  unavailable,
  async run(input, context) {
    await (await notifierFor(context)).close(input, context);
    return { message: 'The notification was closed', data: { id: input.id } };
  },
});

const notificationActions = [notificationSend, notificationClose];

export const notificationFeature = defineFeature({
  name: 'notification',
  title: 'Notifications',
  actions: notificationActions,
  scopes: {
    notify: {
      description: 'show notifications, and replace or close its own',
      label: 'notify',
      after: 'media',
      gravity: 10,
      agents: true,
    },
  },
});

declare module '../../access/scopes.ts' {
  interface FeatureScopes {
    notify: true;
  }
}
