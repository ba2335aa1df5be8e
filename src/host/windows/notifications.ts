import type { ToastPresses } from './toast-presses.ts';
import type { WindowsHost } from './windows-host.ts';

/** Identifies our toasts: the link in the Start menu that `hostler service install` creates has it. */
export const toastAppId = 'Hostler.Hostler';
/**
 * A class that does not exist. With its name in that link, toasts stay in the Action Center, and a press opens its address ("No COM / Stub CLSID":
 * https://learn.microsoft.com/windows/uwp/design/shell/tiles-and-notifications/toast-desktop-apps).
 */
export const toastActivator = 'b31d3a43-6a0c-4c7e-9a52-0c1f6f2d8e57';

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

const pollEveryMs = 1000;

interface Shown {
  events: ToastEvents;
  /** Invalidates its addresses. */
  forget(): void;
  /** A later process accepts its presses. */
  isKept: boolean;
  /** It was in the Action Center. */
  wasPresent: boolean;
  /** Until then a caller waits for it, in monotonic milliseconds. */
  awaitedUntil: number;
}

export interface ShowOptions {
  replaces?: number | null;
  awaitedMs?: number;
  /** What a later process gets with a press, as JSON; null: the toast ends with this process. */
  about?: unknown;
}

/** Those of earlier processes were removed. */
const cleaned = new WeakSet<ToastPresses>();

/**
 * Toasts with buttons. A press is reported whenever it happens. That a toast was removed is noticed by polling while a caller waits, and
 * otherwise at the next toast; one that has only moved to the Action Center is not closed.
 */
export function createWindowsNotifications({
  nativeElsewhere,
  clock,
  presses,
}: Pick<WindowsHost, 'nativeElsewhere' | 'clock' | 'presses'>) {
  const toasts = nativeElsewhere('toasts');
  const shown = new Map<number, Shown>();
  let cancel: (() => void) | null = null;

  const end = (id: number, toast: Shown) => {
    if (shown.get(id) === toast) shown.delete(id);
    toast.forget();
    toast.events.closed();
  };
  const endRemoved = async () => {
    const present = await toasts.present(toastAppId).catch(() => null);
    if (present === null) return;
    for (const [id, toast] of [...shown]) {
      // On the screen it may not be in the Action Center yet.
      if (present.includes(String(id))) toast.wasPresent = true;
      else if (toast.wasPresent) end(id, toast);
    }
  };
  /** Those of earlier processes whose presses would have no effect. */
  const removeEarlier = async () => {
    if (cleaned.has(presses)) return;
    cleaned.add(presses);
    const kept = (await presses.earlierTags()).map(String);
    for (const tag of await toasts.present(toastAppId).catch(() => []))
      if (!kept.includes(tag)) await toasts.hide(toastAppId, tag).catch(() => {});
  };
  const poll = async () => {
    await endRemoved();
    pollLater();
  };
  const pollLater = () => {
    const now = clock.monotonic();
    const isAwaited = [...shown.values()].some(({ awaitedUntil }) => awaitedUntil > now);
    cancel = isAwaited ? clock.after(pollEveryMs, () => void poll()) : null;
  };

  return {
    /** Whether toasts are possible; if not, balloons are used. */
    state: () => toasts.state(toastAppId),
    async show(
      toast: Toast,
      events: ToastEvents,
      { replaces = null, awaitedMs = 0, about = null }: ShowOptions = {},
    ): Promise<number> {
      await removeEarlier();
      const id = replaces ?? (await presses.nextTag());
      const { addressOf, forget, keep } = presses.expect((key) => {
        events.pressed(key);
        end(id, entry);
      });
      const isKept = about !== null && (await keep(id, about));
      const awaitedUntil = clock.monotonic() + awaitedMs;
      const entry: Shown = { events, forget, isKept, wasPresent: false, awaitedUntil };
      try {
        await toasts.show(toastAppId, toastXml(toast, addressOf), String(id));
      } catch (error) {
        forget();
        throw error;
      }
      const replaced = shown.get(id);
      if (replaced !== undefined) end(id, replaced);
      if (cancel === null && shown.size > 0) void endRemoved();
      shown.set(id, entry);
      if (cancel === null) pollLater();
      return id;
    },
    /** A balloon, where this program is not registered; false: there is no desktop. */
    balloon: (title: string, body: string) => nativeElsewhere('shell32').balloon(title, body),
    async withdraw(id: number): Promise<void> {
      const toast = shown.get(id);
      await toasts.hide(toastAppId, String(id));
      if (toast !== undefined) end(id, toast);
    },
    close() {
      cancel?.();
      for (const [id, { forget, isKept }] of shown) {
        if (isKept) continue;
        forget();
        void toasts.hide(toastAppId, String(id)).catch(() => {});
      }
      shown.clear();
    },
  };
}

export type WindowsNotifications = ReturnType<typeof createWindowsNotifications>;

/** https://learn.microsoft.com/windows/apps/design/shell/tiles-and-notifications/toast-schema */
function toastXml(
  { title, body, buttons, icon, image, stays, isLong, isSilent }: Toast,
  addressOf: (key: string) => string,
): string {
  const picture = (file: string | undefined, more: string) =>
    file === undefined ? '' : `<image ${more} src="${escaped(`file:///${file.replaceAll('\\', '/')}`)}"/>`;
  const actions = buttons.map(
    ({ key, label }) => `<action activationType="protocol" arguments="${addressOf(key)}" content="${escaped(label)}"/>`,
  );
  return [
    // A persistent toast requires a button.
    `<toast activationType="protocol" launch="${addressOf('default')}"${isLong ? ' duration="long"' : ''}${stays && actions.length > 0 ? ' scenario="reminder"' : ''}>`,
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
