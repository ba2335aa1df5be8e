/** An icon beside the clock. */
export interface Tray {
  /** What is shown may change. Left out or false: icon, tip and menu stay what they were at first. */
  isLive?: boolean;
  /** Resolves when it is there, or waits for a place where it can be shown. */
  show(view: TrayView, events: TrayEvents): Promise<ShownTray>;
}

export interface TrayView {
  /** A line. Nothing in it comes from outside: some desktops take it for markup. */
  tip: string;
  icon: TrayIcon;
  /** null is a line between others; the first is what a click on the icon does. */
  items: readonly (TrayItem | null)[];
}

export const trayIcons = ['normal', 'paused', 'attention'] as const;
export type TrayIcon = (typeof trayIcons)[number];

export interface TrayItem {
  /** Stands for one meaning as long as the service runs: what is offered for something else has another one. */
  id: string;
  label: string;
  /** Chosen, it puts this text into the clipboard. */
  copies?: string;
  /** Says something, and cannot be chosen. */
  isNote?: boolean;
  /** A menu of its own. */
  items?: readonly TrayItem[];
}

export interface TrayEvents {
  chosen(id: string): void;
  /** The menu is about to be opened: what it is to say then. Only where it is live. */
  opening(): Promise<TrayView>;
  /** Something that whoever reads the log should know. */
  note(sentence: string): void;
}

export interface ShownTray {
  /** false: there is no taskbar yet; the icon comes with it. */
  isShown: boolean;
  /** Left out where it is not live. */
  update?(view: TrayView): void;
  remove(): void;
}
