import { defineAction } from '../../core/action.ts';
import { ServiceError } from '../../lib/errors.ts';
import { currentPlatform, type PerPlatform } from '../../lib/platform.ts';
import { notificationUse } from './notification.agent.ts';
import type {
  NotificationCloseInput,
  NotificationCloseOutput,
  NotificationInput,
  NotificationOutput,
} from './notification.schema.ts';

const platforms: PerPlatform<typeof import('./notification.linux.ts')> = {
  linux: () => import('./notification.linux.ts'),
};

const missing = 'Notifications are not supported on this platform yet';

async function load(): Promise<typeof import('./notification.linux.ts')> {
  const platform = currentPlatform === null ? undefined : await platforms[currentPlatform]?.();
  if (platform === undefined) throw new ServiceError('unsupported', missing);
  return platform;
}

const unavailable: ReturnType<typeof defineAction>['unavailable'] = async ({ host }) =>
  currentPlatform === null || platforms[currentPlatform] === undefined ? missing : (await load()).unavailable(host);

export const notificationSend = defineAction<NotificationInput, NotificationOutput>({
  name: 'notification.send',
  description: 'Shows a notification on the desktop, and tells which of its buttons was pressed',
  input: async () => (await import('./notification.schema.ts')).notificationInputSchema,
  output: async () => (await import('./notification.schema.ts')).notificationOutputSchema,
  scopes: ['notify'],
  effect: 'write',
  http: false,
  wire: { event: 'NOTIFICATION', reply: 'NOTIFICATION_SENT', tells: ['NOTIFICATION_ACTION'] },
  agent: notificationUse,
  unavailable,
  run: async (input, context) => await (await load()).send(input, context),
});

export const notificationClose = defineAction<NotificationCloseInput, NotificationCloseOutput>({
  name: 'notification.close',
  description: 'Takes a notification of this service off the screen',
  input: async () => (await import('./notification.schema.ts')).notificationCloseInputSchema,
  output: async () => (await import('./notification.schema.ts')).notificationCloseOutputSchema,
  scopes: ['notify'],
  effect: 'write',
  http: false,
  wire: { event: 'NOTIFICATION_CLOSE', reply: 'NOTIFICATION_CLOSED' },
  unavailable,
  run: async (input, context) => await (await load()).close(input, context),
});

export const notificationActions = [notificationSend, notificationClose];
