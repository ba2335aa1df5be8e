import type { Clock } from '../../lib/clock.ts';
import type { Toasts } from './com/toasts.ts';
import type { Shell32 } from './native/shell32.ts';
import type { Elsewhere } from './native-threads.ts';

/** Identifies our toasts: the link in the Start menu that `hostler service install` creates has it. */
export const toastAppId = 'Hostler.Hostler';

export interface Toast {
  title: string;
  body: string;
  buttons: { key: string; label: string }[];
  /** Files. */
  icon?: string | undefined;
  image?: string | undefined;
  /** Stays until it is closed. */
  stays: boolean;
  /** Shown longer than usual. */
  isLong: boolean;
  isSilent: boolean;
}

export interface ToastEvents {
  /** The key of a button, or `default` for the toast itself. */
  pressed(key: string): void;
  closed(): void;
}

const pollEveryMs = 300;

/** Toasts with buttons. Windows reports events on its own threads, so they are polled while a toast is shown. */
export function createWindowsNotifications(
  toasts: Elsewhere<Toasts>,
  shell32: Elsewhere<Pick<Shell32, 'balloon'>>,
  clock: Clock,
) {
  const shown = new Map<number, ToastEvents>();
  let number = 0;
  let cancel: (() => void) | null = null;

  const poll = async () => {
    const happened = await toasts.events().catch(() => []);
    for (const { tag, pressed } of happened) {
      const events = shown.get(Number(tag));
      shown.delete(Number(tag));
      if (pressed !== null) events?.pressed(pressed === '' ? 'default' : pressed);
      events?.closed();
    }
    pollLater();
  };
  const pollLater = () => {
    cancel = shown.size === 0 ? null : clock.after(pollEveryMs, () => void poll());
  };

  return {
    /** Whether toasts are possible; if not, balloons are used. */
    state: () => toasts.state(toastAppId),
    async show(toast: Toast, events: ToastEvents, replaces: number | null = null): Promise<number> {
      number += 1;
      const id = replaces ?? number;
      await toasts.show(toastAppId, toastXml(toast), String(id));
      shown.get(id)?.closed();
      shown.set(id, events);
      if (cancel === null) pollLater();
      return id;
    },
    /** A balloon, where this program is not registered; false: there is no desktop. */
    balloon: (title: string, body: string) => shell32.balloon(title, body),
    async withdraw(id: number): Promise<void> {
      const events = shown.get(id);
      shown.delete(id);
      await toasts.hide(toastAppId, String(id));
      events?.closed();
    },
    close() {
      cancel?.();
      for (const id of shown.keys()) void toasts.hide(toastAppId, String(id)).catch(() => {});
      shown.clear();
    },
  };
}

export type WindowsNotifications = ReturnType<typeof createWindowsNotifications>;

/** https://learn.microsoft.com/windows/apps/design/shell/tiles-and-notifications/toast-schema */
function toastXml({ title, body, buttons, icon, image, stays, isLong, isSilent }: Toast): string {
  const picture = (file: string | undefined, more: string) =>
    file === undefined ? '' : `<image ${more} src="${escaped(`file:///${file.replaceAll('\\', '/')}`)}"/>`;
  const actions = buttons.map(
    ({ key, label }) => `<action activationType="foreground" arguments="${escaped(key)}" content="${escaped(label)}"/>`,
  );
  return [
    // A persistent toast requires a button.
    `<toast launch="default"${isLong ? ' duration="long"' : ''}${stays && actions.length > 0 ? ' scenario="reminder"' : ''}>`,
    '<visual><binding template="ToastGeneric">',
    `<text>${escaped(title)}</text><text>${escaped(body)}</text>`,
    picture(icon, 'placement="appLogoOverride"'),
    picture(image, 'placement="hero"'),
    '</binding></visual>',
    actions.length === 0 ? '' : `<actions>${actions.slice(0, 5).join('')}</actions>`,
    isSilent ? '<audio silent="true"/>' : '',
    '</toast>',
  ].join('');
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

/** XML allows neither lone surrogates nor most control characters. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}
