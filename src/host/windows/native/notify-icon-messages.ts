/** Messages to the taskbar about an icon. https://learn.microsoft.com/windows/win32/api/shellapi/nf-shellapi-shell_notifyiconw */
export const iconOrders = { add: 0, change: 1, remove: 2 } as const;

export type IconOrder = keyof typeof iconOrders;

interface BalloonParts {
  /** The window of the icon; 0: none. */
  openWindow(): number;
  /** false: refused, for example without a taskbar. */
  order(order: IconOrder, window: number, title: string, text: string): boolean;
}

/** Balloons of one icon. The icon is added again if it was never added, or after a restart of the taskbar. */
export function createBalloons({ openWindow, order }: BalloonParts) {
  let window = 0;
  let icon: 'none' | 'added' | 'doubtful' = 'none';
  const show = (title: string, text: string): boolean => {
    window ||= openWindow();
    if (window === 0) return false;
    if (icon === 'added' && order('change', window, title, text)) return true;
    // A slow taskbar may have added the icon without confirming it, and accepts no second one.
    if (icon !== 'none') order('remove', window, title, text);
    const isAdded = order('add', window, title, text);
    icon = isAdded ? 'added' : 'doubtful';
    return isAdded;
  };
  const close = (): void => {
    if (icon !== 'none') order('remove', window, '', '');
    icon = 'none';
  };
  return { show, close };
}
