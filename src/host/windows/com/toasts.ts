import type { ComObject } from './com.ts';
import { type EventHandler, openEventHandlers } from './event-handler.ts';
import {
  ActivatedHandler,
  DismissedHandler,
  FailedHandler,
  IToastActivatedEventArgs,
  IToastNotification,
  IToastNotification2,
  IToastNotificationFactory,
  IToastNotificationManagerStatics,
  IToastNotifier,
  IXmlDocumentIO,
} from './toasts.interfaces.ts';
import { openWinrt } from './winrt.ts';

/** Windows.UI.Notifications: toasts, whose buttons are heard. Never executed on Windows; against a stand-in under Wine. */
export interface Toasts {
  /** `unknown`: Windows knows no program with this AppUserModelID, or has no toasts; `off`: the user wants none. */
  state(appId: string): 'on' | 'off' | 'unknown';
  /** Shows a toast, in the place of the one before it with the same tag. */
  show(appId: string, xml: string, tag: string): void;
  hide(appId: string, tag: string): void;
  /** What has happened to those that are shown since it was asked last. */
  events(): ToastEvent[];
}

export interface ToastEvent {
  tag: string;
  /** The arguments of what was pressed; null: it was dismissed, or could not be shown. */
  pressed: string | null;
}

const classes = {
  manager: 'Windows.UI.Notifications.ToastNotificationManager',
  toast: 'Windows.UI.Notifications.ToastNotification',
  xml: 'Windows.Data.Xml.Dom.XmlDocument',
};
const events = [
  { name: 'Activated', of: ActivatedHandler },
  { name: 'Dismissed', of: DismissedHandler },
  { name: 'Failed', of: FailedHandler },
] as const;

const keepMs = 60_000;

interface OnScreen {
  /** The toast, held. */
  place: number;
  heard: { name: (typeof events)[number]['name']; handler: EventHandler; token: bigint }[];
}

export function openToasts(): Toasts {
  const winrt = openWinrt();
  const makeHandler = openEventHandlers();
  const shown = new Map<string, OnScreen>();
  /** Windows may be in the middle of calling one that was taken back: they are kept for a while. */
  const retired: { handler: EventHandler; at: number }[] = [];
  const freeOld = () => {
    while ((retired[0]?.at ?? Number.POSITIVE_INFINITY) < performance.now() - keepMs) retired.shift()?.handler.free();
  };

  const notifierOf = (scope: Parameters<Parameters<typeof winrt.within>[0]>[0], appId: string) => {
    const statics = winrt.statics(scope, classes.manager, IToastNotificationManagerStatics);
    return winrt.withText(appId, (id) => statics?.get(IToastNotifier, 'CreateToastNotifierWithId', id) ?? null);
  };
  const forget = (tag: string) => {
    const entry = shown.get(tag);
    shown.delete(tag);
    if (entry === undefined) return;
    winrt.within((scope) => {
      const toast = scope.adopt(entry.place, IToastNotification);
      for (const { name, handler, token } of entry.heard) {
        toast.attempt(`remove_${name}`, token);
        retired.push({ handler, at: performance.now() });
      }
    });
  };
  const listen = (toast: ComObject<typeof IToastNotification>): OnScreen['heard'] =>
    makeHandler === null
      ? []
      : events.map(({ name, of }) => {
          const handler = makeHandler(of.id);
          return { name, handler, token: toast.ask(`add_${name}`, handler.place).i64() };
        });

  return {
    state: (appId) =>
      winrt.within((scope) => {
        try {
          const setting = notifierOf(scope, appId)?.ask('get_Setting').i32();
          return setting === undefined ? 'unknown' : setting === 0 ? 'on' : 'off';
        } catch {
          // "Element not found": there is no link in the Start menu with this AppUserModelID.
          return 'unknown';
        }
      }),
    show: (appId, xml, tag) =>
      winrt.within((scope) => {
        const document = winrt.instance(scope, classes.xml, IXmlDocumentIO);
        winrt.withText(xml, (text) => document.call('LoadXml', text));
        const factory = winrt.statics(scope, classes.toast, IToastNotificationFactory);
        const toast = factory?.get(IToastNotification, 'CreateToastNotification', document.place) ?? null;
        const notifier = notifierOf(scope, appId);
        if (toast === null || notifier === null) throw new Error('this Windows has no toasts');
        winrt.withText(tag, (text) => toast.as(IToastNotification2)?.call('put_Tag', text));
        forget(tag);
        freeOld();
        shown.set(tag, { place: winrt.hold(toast), heard: listen(toast) });
        notifier.call('Show', toast.place);
      }),
    hide: (appId, tag) =>
      winrt.within((scope) => {
        const entry = shown.get(tag);
        if (entry !== undefined) notifierOf(scope, appId)?.attempt('Hide', entry.place);
      }),
    events() {
      const told: ToastEvent[] = [];
      for (const [tag, { heard }] of [...shown]) {
        const fired = heard.find(({ handler }) => handler.hasFired());
        if (fired === undefined) continue;
        const pressed = fired.name === 'Activated' ? argumentsOf(fired.handler.argument()) : null;
        told.push({ tag, pressed });
        forget(tag);
      }
      return told;
    },
  };

  function argumentsOf(place: number): string {
    if (place === 0) return '';
    return winrt.within((scope) => {
      const details = scope.adopt(place, IToastActivatedEventArgs).as(IToastActivatedEventArgs);
      return details === null ? '' : winrt.text(details, 'get_Arguments');
    });
  }
}
