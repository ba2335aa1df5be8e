import {
  IToastNotification,
  IToastNotification2,
  IToastNotificationFactory,
  IToastNotificationHistory,
  IToastNotificationHistory2,
  IToastNotificationManagerStatics,
  IToastNotificationManagerStatics2,
  IToastNotifier,
  IXmlDocumentIO,
} from './toasts.interfaces.ts';
import { IVectorView } from './winrt.interfaces.ts';
import { openWinrt } from './winrt.ts';

/**
 * Windows.UI.Notifications: toasts with buttons. Windows reports their events on its own threads, where no JavaScript can run, so no
 * handler is registered: see toast-presses.ts for presses. Never executed on Windows; tested against a fake under Wine.
 */
export type Toasts = ReturnType<typeof openToasts>;

const classes = {
  manager: 'Windows.UI.Notifications.ToastNotificationManager',
  toast: 'Windows.UI.Notifications.ToastNotification',
  xml: 'Windows.Data.Xml.Dom.XmlDocument',
};
/** Windows removes a toast by tag and group. */
const group = 'hostler';
/** Windows holds at most 20 of a program. */
const mostPresent = 100;

export function openToasts() {
  const winrt = openWinrt();
  type Scope = Parameters<Parameters<typeof winrt.within>[0]>[0];

  const notifierOf = (scope: Scope, appId: string) => {
    const statics = winrt.statics(scope, classes.manager, IToastNotificationManagerStatics);
    return winrt.withText(appId, (id) => statics?.get(IToastNotifier, 'CreateToastNotifierWithId', id) ?? null);
  };
  const historyOf = (scope: Scope) =>
    winrt
      .statics(scope, classes.manager, IToastNotificationManagerStatics2)
      ?.get(IToastNotificationHistory, 'get_History') ?? null;

  return {
    /** `unknown`: no program is registered with this AppUserModelID, or Windows has no toasts; `off`: disabled by the user. */
    state: (appId: string) =>
      winrt.within((scope) => {
        try {
          const setting = notifierOf(scope, appId)?.ask('get_Setting').i32();
          return setting === undefined ? 'unknown' : setting === 0 ? 'on' : 'off';
        } catch {
          // "Element not found": there is no link in the Start menu with this AppUserModelID.
          return 'unknown';
        }
      }),
    /** Shows a toast, which replaces the previous one with the same tag. */
    show: (appId: string, xml: string, tag: string) =>
      winrt.within((scope) => {
        const document = winrt.instance(scope, classes.xml, IXmlDocumentIO);
        winrt.withText(xml, (text) => document.call('LoadXml', text));
        const factory = winrt.statics(scope, classes.toast, IToastNotificationFactory);
        const toast = factory?.get(IToastNotification, 'CreateToastNotification', document.place) ?? null;
        const notifier = notifierOf(scope, appId);
        if (toast === null || notifier === null) throw new Error('this Windows has no toasts');
        const named = toast.as(IToastNotification2);
        winrt.withText(tag, (text) => named?.call('put_Tag', text));
        winrt.withText(group, (text) => named?.call('put_Group', text));
        notifier.call('Show', toast.place);
      }),
    hide: (appId: string, tag: string) =>
      winrt.within((scope) => {
        const history = historyOf(scope);
        winrt.withText(tag, (tagText) =>
          winrt.withText(group, (groupText) =>
            winrt.withText(appId, (id) => history?.attempt('RemoveGroupedTagWithId', tagText, groupText, id)),
          ),
        );
      }),
    /** Tags of the toasts that Windows holds in the Action Center. */
    present: (appId: string) =>
      winrt.within((scope) => {
        const history = historyOf(scope)?.as(IToastNotificationHistory2) ?? null;
        const found = winrt.withText(appId, (id) => history?.get(IVectorView, 'GetHistoryWithId', id) ?? null);
        const count = Math.min(mostPresent, found?.ask('get_Size').u32() ?? 0);
        return Array.from({ length: count }, (_, index) => {
          const toast = found?.get(IToastNotification, 'GetAt', index)?.as(IToastNotification2) ?? null;
          return toast === null ? '' : winrt.text(toast, 'get_Tag');
        });
      }),
  };
}
