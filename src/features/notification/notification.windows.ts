import { type ActionContext, type ActionParts, type ActionResult, contextOn } from '../../core/action.ts';
import { addressToOpen } from '../../core/files/open-target.ts';
import type { EarlierPress } from '../../host/host.ts';
import {
  createWindowsNotifications,
  type ToastEvents,
  type WindowsNotifications,
} from '../../host/windows/notifications.ts';
import { showNoticeWindows } from '../../host/windows/show-notice.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import { ownCommand } from '../../lib/own-command.ts';
import type { Notifier } from './notification.contract.ts';
import { notificationEntities } from './notification.controls.ts';
import { pictures, readResource } from './notification.resources.ts';
import type { NotificationInput, NotificationOutput } from './notification.schema.ts';
import {
  createShownNotification,
  keepShown,
  type ShownNotification,
  type ShownNotifications,
} from './notification.shown.ts';

const mostButtons = 5;

const createShown = (parts: ActionParts<WindowsHost>) => keepShown(parts, createWindowsNotifications(parts.host));

/** A toast where Windows knows this program, otherwise a balloon without buttons. Toasts were tested against a stand-in only. */
export const notifierWindows = (host: WindowsHost): Notifier => ({
  unavailable: async () => null,
  send: (input, context) => send(input, contextOn(context, host)),
  close: ({ id }, context) => contextOn(context, host).keep(createShown).withdraw(id, context.caller.tokenId),
});

async function send(
  input: NotificationInput,
  context: ActionContext<WindowsHost>,
): Promise<ActionResult<NotificationOutput>> {
  const { keep, caller, host, signal } = context;
  const { notifications, onScreen } = keep(createShown);
  if (input.replaces) onScreen.requireOwn(input.replaces, caller.tokenId);
  // Everything is checked before anything is shown.
  const target = input.actionUrl ? addressToOpen(input.actionUrl) : null;
  // Windows would run many kinds of files instead of showing them.
  const problems = input.actionPath ? ['a click does not open its file: on Windows a click opens addresses only'] : [];
  const entry = createShownNotification(caller, host.scratch);
  try {
    const icon = await picture('icon', input.icon, context, problems, entry);
    const image = await picture('image', input.image, context, problems, entry);
    const state = await notifications.state();
    if (state === 'off')
      throw new ServiceError('unsupported', 'Notifications of Hostler are switched off in the settings of Windows');
    if (state === 'unknown') {
      entry.release();
      return await balloon(input, notifications);
    }
    const buttons = (input.actions ?? []).map((action, index) => ({ ...action, key: `button-${index + 1}` }));
    if (buttons.length > mostButtons) problems.push(`Windows shows ${mostButtons} buttons of ${buttons.length}`);
    if (input.sound || input.audio) problems.push('its sound is the usual one of Windows');
    const number = Promise.withResolvers<number>();
    const first = Promise.withResolvers<string | null>();
    const opened = target?.kind === 'url' ? target.url : null;
    const events = eventsOf(
      { entry, buttons, opened, onScreen, number: number.promise, first: first.resolve },
      context,
    );
    const timeout = input.timeout ?? input.duration ?? null;
    const toast = {
      title: input.title,
      body: input.message ?? '',
      buttons,
      icon,
      image,
      stays: input.urgency === 'critical' || timeout === 0,
      isLong: timeout !== null && timeout > 10_000,
      isSilent: input.urgency === 'low' && !input.sound && !input.audio,
    };
    const awaitedMs = (input.wait ?? 0) * 1000;
    const about: KeptNotification = { tokenId: caller.tokenId, opened, buttons };
    const id = await notifications.show(toast, events, { replaces: input.replaces ?? null, awaitedMs, about });
    onScreen.add(id, entry);
    number.resolve(id);
    const message = `The notification is shown${problems.length > 0 ? `, but ${problems.join(', and ')}` : ''}`;
    if (!input.wait) return { message, data: { id } };
    const cancel = host.clock.after(input.wait * 1000, () => first.resolve(null));
    signal.addEventListener('abort', () => first.resolve(null), { once: true });
    return { message, data: { id, pressed: await first.promise.finally(cancel) } };
  } catch (error) {
    entry.release();
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('failed', `Windows reported a failure: ${messageOf(error)}`, { cause: error });
  }
}

type ToastButton = NonNullable<NotificationInput['actions']>[number] & { key: string };

/** What a later process needs for a press. */
interface KeptNotification {
  tokenId: string;
  buttons: readonly ToastButton[];
  /** What a click opens; null: nothing. */
  opened: string | null;
}

/** `default`: the toast itself. */
function actionOf(buttons: readonly ToastButton[], key: string) {
  const { command = 'default', label = null, data = null } = buttons.find((button) => button.key === key) ?? {};
  return { command, label, data };
}

async function openAddress(host: WindowsHost, url: string, log: ActionParts['log']): Promise<void> {
  const outcome = (await host.native()).shell32.open(url);
  if (outcome <= 32) log.warn(`notification: a click could not be acted on: Windows answers with error ${outcome}`);
}

/** The connection that sent the notification ended with its process, so the other ones of its token get the press. */
export async function reportEarlierPress({ tag, key, about }: EarlierPress, parts: ActionParts): Promise<void> {
  // Sealed by this feature.
  const { tokenId, buttons, opened } = about as KeptNotification;
  const [host, action] = [parts.host as WindowsHost, actionOf(buttons, key)];
  if (!parts.admits({ tokenId, scopes: new Set(['notify'] as const) })) return;
  const data = { id: tag, ...action };
  const event = notificationEntities.onMessage?.('NOTIFICATION_ACTION', data) ?? null;
  const isDelivered = parts.deliver?.(tokenId, { type: 'NOTIFICATION_ACTION', data }, event) ?? false;
  if (key === 'default' && opened !== null) return await openAddress(host, opened, parts.log);
  if (isDelivered || action.label === null) return;
  const sentence = `This request has ended: the program that sent it is not connected, so "${action.label}" was not reported.`;
  await showNoticeWindows(host, 'Hostler', sentence).catch((error: unknown) =>
    parts.log.warn(`notification: ${messageOf(error)}`),
  );
}

interface ShownToast extends Omit<KeptNotification, 'tokenId'> {
  entry: ShownNotification;
  onScreen: ShownNotifications;
  number: Promise<number>;
  /** Takes the command of the first button that is pressed. */
  first(command: string | null): void;
}

/** Not inside `send`: these functions live as long as the toast, and functions of an async function hold its input with the pictures. */
function eventsOf(
  { entry, buttons, opened, onScreen, number, first }: ShownToast,
  { notify, host, log }: ActionContext<WindowsHost>,
): ToastEvents {
  return {
    pressed(key) {
      const action = actionOf(buttons, key);
      first(action.command);
      void number.then((id) => notify('NOTIFICATION_ACTION', { id, ...action }));
      if (key === 'default' && opened !== null) void openAddress(host, opened, log);
    },
    closed() {
      first(null);
      entry.release();
      void number.then((id) => onScreen.remove(id, entry));
    },
  };
}

async function balloon(
  { title, message, actions, wait }: NotificationInput,
  notifications: WindowsNotifications,
): Promise<ActionResult<NotificationOutput>> {
  if (!(await notifications.balloon(title, message ?? '')))
    throw new ServiceError('unsupported', 'There is no desktop to show notifications on; log in to one');
  const lacks =
    (actions?.length ?? 0) > 0 ? `, but without buttons: "${ownCommand('service install')}" makes them possible` : '';
  return {
    message: `The notification is shown${lacks}`,
    data: { id: 0xffff_ffff, ...(wait ? { pressed: null } : {}) },
  };
}

async function picture(
  field: string,
  text: string | null | undefined,
  { host, settings, caller }: ActionContext<WindowsHost>,
  problems: string[],
  entry: ShownNotification,
): Promise<string | undefined> {
  if (!text) return undefined;
  const resource = await readResource(field, text, pictures, { host, settings: settings(), caller });
  if (resource.kind === 'file') return resource.file || undefined;
  if (resource.kind === 'bytes') return entry.put(resource.bytes, resource.extension);
  problems.push(resource.kind === 'ignored' ? resource.problem : `${field} was left out: Windows has no icon theme`);
  return undefined;
}
