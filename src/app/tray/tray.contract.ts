export interface Tray {
  /** Its content may change. Omitted or false: icon, tip and menu never change. */
  isLive?: boolean;
  /** Resolves when it is shown, or waits for a panel. */
  show(view: TrayView, events: TrayEvents): Promise<ShownTray>;
}

export interface TrayView {
  /** One line. Nothing in it comes from outside: some desktops interpret it as markup. */
  tip: string;
  icon: TrayIcon;
  /** null is a separator; the first entry is the action of a click on the icon. */
  items: readonly (TrayItem | null)[];
}

export const trayIcons = ['normal', 'paused', 'attention'] as const;
export type TrayIcon = (typeof trayIcons)[number];

export interface TrayItem {
  /** Has one meaning as long as the service runs: another offer has another id. */
  id: string;
  label: string;
  /** Choosing it copies this text to the clipboard. */
  copies?: string;
  /** Text that cannot be chosen. */
  isNote?: boolean;
  items?: readonly TrayItem[];
}

export interface TrayEvents {
  chosen(id: string): void;
  /** The menu is about to open: resolves with its content. Only where it is live. */
  opening(): Promise<TrayView>;
  note(sentence: string): void;
}

export interface ShownTray {
  /** false: there is no taskbar yet; the icon appears with it. */
  isShown: boolean;
  /** Omitted where it is not live. */
  update?(view: TrayView): void;
  remove(): void;
}
