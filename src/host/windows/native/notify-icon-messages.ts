/** What is said to the taskbar about an icon. https://learn.microsoft.com/windows/win32/api/shellapi/nf-shellapi-shell_notifyiconw */
export const iconOrders = { add: 0, change: 1, remove: 2 } as const;

export type IconOrder = keyof typeof iconOrders;

interface BalloonParts {
  /** A window that the icon belongs to; 0: there is none. */
  openWindow(): number;
  /** false: it was refused, as it is where there is no taskbar. */
  order(order: IconOrder, window: number, title: string, text: string): boolean;
}

/** Texts beside the clock, all from one icon. One that was never added, or that a new taskbar does not know, is added again. */
export function createBalloons({ openWindow, order }: BalloonParts): (title: string, text: string) => boolean {
  let window = 0;
  let icon: 'none' | 'added' | 'doubtful' = 'none';
  return (title, text) => {
    window ||= openWindow();
    if (window === 0) return false;
    if (icon === 'added' && order('change', window, title, text)) return true;
    // A taskbar that was too slow to say yes may have it after all, and takes no second one.
    if (icon !== 'none') order('remove', window, title, text);
    const isAdded = order('add', window, title, text);
    icon = isAdded ? 'added' : 'doubtful';
    return isAdded;
  };
}
