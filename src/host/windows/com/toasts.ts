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

/** Windows.UI.Notifications: toasts with buttons. Never executed on Windows; tested against a fake under Wine. */
export interface Toasts {
  /** `unknown`: no program is registered with this AppUserModelID, or Windows has no toasts; `off`: disabled by the user. */
  state(appId: string): 'on' | 'off' | 'unknown';
  /** Shows a toast, which replaces the previous one with the same tag. */
  show(appId: string, xml: string, tag: string): void;
  hide(appId: string, tag: string): void;
  /** The events of shown toasts since the last call. */
  events(): ToastEvent[];
}

export interface ToastEvent {
  tag: string;
  /** The arguments of the pressed button; null: it was dismissed, or could not be shown. */
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
  /** The toast, with a reference. */
  place: number;
  listeners: { name: (typeof events)[number]['name']; handler: EventHandler; token: bigint }[];
}

export function openToasts(): Toasts {
  const winrt = openWinrt();
  const makeHandler = openEventHandlers();
  const shown = new Map<string, OnScreen>();
  /** Removed handlers stay allocated for a while: Windows may be calling one. */
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
      for (const { name, handler, token } of entry.listeners) {
        toast.attempt(`remove_${name}`, token);
        retired.push({ handler, at: performance.now() });
      }
    });
  };
  const listen = (toast: ComObject<typeof IToastNotification>): OnScreen['listeners'] =>
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
        shown.set(tag, { place: winrt.hold(toast), listeners: listen(toast) });
        notifier.call('Show', toast.place);
      }),
    hide: (appId, tag) =>
      winrt.within((scope) => {
        const entry = shown.get(tag);
        if (entry !== undefined) notifierOf(scope, appId)?.attempt('Hide', entry.place);
      }),
    events() {
      const reported: ToastEvent[] = [];
      for (const [tag, { listeners }] of [...shown]) {
        const fired = listeners.find(({ handler }) => handler.hasFired());
        if (fired === undefined) continue;
        const pressed = fired.name === 'Activated' ? argumentsOf(fired.handler.argument()) : null;
        reported.push({ tag, pressed });
        forget(tag);
      }
      return reported;
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
