/** An icon beside the clock. */
export interface Tray {
  /** Resolves when it is there. `items`: null is a line between others; the first is what a click does. */
  show(tip: string, items: (TrayItem | null)[], chosen: (id: string) => void): Promise<ShownTray>;
}

export interface TrayItem {
  id: string;
  label: string;
  /** Chosen, it puts this text into the clipboard. */
  copies?: string;
}

export interface ShownTray {
  /** false: there is no taskbar yet; the icon comes with it. */
  isShown: boolean;
  remove(): void;
}
