import { variant } from '@hostler/dbus/dbus.ts';
import { type ActionContext, type ActionParts, type ActionResult, contextOn } from '../../core/action.ts';
import { shareIdOf } from '../../core/caller.ts';
import { createPlaces, type Places } from '../../core/places.ts';
import {
  type CloseReason,
  createDesktopNotifications,
  type DesktopNotification,
  type NotificationEvents,
  withoutMarkup,
} from '../../host/linux/desktop/desktop-notifications.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { stopAll } from '../../lib/closing.ts';
import { createButtons } from './linux/notification.buttons.ts';
import { orUnsupported, whyNot } from './linux/notification.errors.ts';
import { noSound, planSound, type SoundPlan } from './linux/notification.sound.ts';
import { opensSomething } from './linux/notification.target.ts';
import type { Notifier } from './notification.contract.ts';
import { type Ignored, pictures, type Resource, readResource, sounds } from './notification.resources.ts';
import type { NotificationInput, NotificationOutput } from './notification.schema.ts';
import {
  createShownNotification,
  keepShown,
  type ShownNotification,
  type ShownNotifications,
} from './notification.shown.ts';

/** How long the check for a desktop waits, ms. */
const answerTimeoutMs = 1800;

/** Sounds that are played at once; further ones are dropped. Each takes a program. */
const mostSounds = 4;

const notificationsOn = ({ dbus }: LinuxHost) => createDesktopNotifications(dbus.session, 'Hostler', answerTimeoutMs);

const createShown = (parts: ActionParts<LinuxHost>) => ({
  ...keepShown(parts, notificationsOn(parts.host)),
  sounds: createPlaces(mostSounds, ''),
});

export const notifierLinux = (host: LinuxHost): Notifier => ({
  unavailable: () =>
    notificationsOn(host)
      .capabilities()
      .then(() => null, whyNot),
  send: (input, context) => send(input, contextOn(context, host)),
  close: ({ id }, context) => contextOn(context, host).keep(createShown).withdraw(id, context.caller.tokenId),
});

async function send(
  input: NotificationInput,
  context: ActionContext<LinuxHost>,
): Promise<ActionResult<NotificationOutput>> {
  const { host, keep, caller } = context;
  const shown = keep(createShown);
  if (input.replaces) shown.onScreen.requireOwn(input.replaces, caller.tokenId);
  // Everything is checked before anything is shown.
  const opens = await opensSomething(input, context);
  const { ignored, ...given } = await resourcesOf(input, context);
  const can = await orUnsupported(() => shown.notifications.capabilities());
  const entry = createShownNotification(caller, host.scratch);
  const pathOf = (resource: Usable): string => {
    if (resource.kind === 'bytes') return entry.put(resource.bytes, resource.extension);
    return resource.kind === 'name' ? resource.name : resource.file;
  };
  const number = Promise.withResolvers<number>();
  const { actions, actionUrl, actionPath } = input;
  const buttons = createButtons({ actions, actionUrl, actionPath }, context, number.promise, opens);
  try {
    const sound = given.sound === null ? noSound : planFor(given.sound, pathOf, can, context);
    const notification = {
      ...textOf(input, can),
      ...(context.caller.isAgent ? { app: 'Hostler agent' } : {}),
      ...(given.icon === null ? {} : { icon: pathOf(given.icon) }),
      actions: buttons.list,
      hints: {
        ...(given.image === null ? {} : { 'image-path': pathOf(given.image) }),
        ...(input.urgency ? { urgency: variant('y', urgencies[input.urgency]) } : {}),
        ...sound.hints,
      },
      timeoutMs: Math.round(input.timeout ?? input.duration ?? -1),
      replaces: input.replaces ?? 0,
    };
    const events = eventsOf(entry, buttons.pressed, number.promise, shown.onScreen, context.report);
    const id = await orUnsupported(() => shown.notifications.show(notification, events));
    shown.onScreen.add(id, entry);
    number.resolve(id);
    const soundProblem = sound.play === null ? sound.problem : play(shown.sounds, sound.play, context);
    const message = sentence([
      ...(buttons.list.length > 0 && !can.has('actions') ? ['this desktop shows no buttons'] : []),
      ...(soundProblem === null ? [] : [`its sound could not be played: ${soundProblem}`]),
      ...ignored,
    ]);
    if (!input.wait) return { message, data: { id } };
    return { message, data: { id, pressed: await buttons.first(input.wait * 1000, context.signal) } };
  } catch (error) {
    entry.release();
    throw error;
  }
}

/** Not inside `send`: these functions live as long as the notification, and functions of an async function hold its input with the pictures. */
function eventsOf(
  entry: ShownNotification,
  pressed: (key: string | null) => void,
  number: Promise<number>,
  onScreen: ShownNotifications,
  report: ActionContext['report'],
): NotificationEvents {
  const removed = (id: number, reason: CloseReason) => {
    // Another one may have replaced it.
    if (onScreen.remove(id, entry)) report?.('NOTIFICATION_CLOSED', { id, reason });
  };
  return {
    owner: entry.share,
    pressed,
    closed(reason) {
      pressed(null);
      entry.release();
      void number.then((id) => removed(id, reason));
    },
  };
}

/** Returns why the sound is dropped; null: it is played. It ends with its token, and when control is paused. */
function play(
  sounds: Places,
  work: (signal: AbortSignal) => Promise<void>,
  { caller, admits, onTokensChange, controlPause }: ActionContext<LinuxHost>,
): string | null {
  const free = sounds.take(shareIdOf(caller));
  if (free === null) return 'too many sounds are being played';
  const ending = new AbortController();
  const { tokenId } = caller;
  const check = () => {
    if (controlPause.current() !== null || !admits({ tokenId, scopes: new Set(['notify'] as const) })) ending.abort();
  };
  const stops = [controlPause.onChange(check), onTokensChange(check), free];
  check();
  void work(ending.signal).finally(stopAll(stops));
  return null;
}

const urgencies = { low: 0, normal: 1, critical: 2 };

function textOf({ title, message }: NotificationInput, can: Set<string>): Pick<DesktopNotification, 'title' | 'body'> {
  const body = toText(message ?? '');
  return { title: toText(title), body: can.has('body-markup') ? withoutMarkup(body) : body };
}

/** D-Bus carries neither lone surrogates nor NUL. */
const toText = (text: string) => text.toWellFormed().replaceAll('\0', '\ufffd');

type Usable = Exclude<Resource, Ignored>;

async function resourcesOf(
  { icon, image, sound, audio }: NotificationInput,
  { host, settings, caller }: ActionContext<LinuxHost>,
) {
  const parts = { host, settings: settings(), caller };
  const ignored: string[] = [];
  const read = async (field: string, text: string | null | undefined, family: typeof pictures) => {
    const resource = text ? await readResource(field, text, family, parts) : null;
    if (resource?.kind !== 'ignored') return resource;
    ignored.push(resource.problem);
    return null;
  };
  const soundResource = audio ? await read('audio', audio.source, sounds) : await read('sound', sound, sounds);
  return {
    icon: unlessEmpty(await read('icon', icon, pictures)),
    image: unlessEmpty(await read('image', image, pictures)),
    sound: soundResource === null ? null : { resource: soundResource, volume: audio?.volume ?? null },
    ignored,
  };
}

const isEmpty = (resource: Usable) => resource.kind === 'file' && resource.file === '';
const unlessEmpty = (resource: Usable | null) => (resource === null || isEmpty(resource) ? null : resource);

function planFor(
  { resource, volume }: { resource: Usable; volume: number | null },
  pathOf: (resource: Usable) => string,
  can: Set<string>,
  { host, log }: ActionContext<LinuxHost>,
): SoundPlan {
  const name = resource.kind === 'name' ? resource.name : null;
  const file = name === null ? pathOf(resource) : null;
  const plan = planSound(host, log, can, { name, file, volume: volume === null ? null : volume / 100 });
  if (isEmpty(resource)) return { ...noSound, problem: plan.problem };
  const { play } = plan;
  if (play === null || resource.kind !== 'bytes' || file === null) return plan;
  return { ...plan, play: (signal) => play(signal).finally(() => host.scratch.remove(file)) };
}

function sentence(lacking: string[]): string {
  return lacking.length === 0
    ? 'The notification is shown'
    : `The notification is shown, but ${lacking.join(', and ')}`;
}
