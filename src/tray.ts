import type { Host } from './host/host.ts';
import type { ShownTray, TrayItem } from './host/tray.ts';
import { messageOf } from './lib/errors.ts';
import type { Log } from './lib/log.ts';
import type { SettingsStore } from './settings/settings.ts';

/** What its menu does; what is left out is not in it. */
export interface TrayOrders {
  openDashboard(): Promise<void>;
  /** null: until it is resumed. */
  pauseControl(seconds: number | null): Promise<void>;
  resumeControl(): Promise<void>;
  quit(): void;
}

interface TrayParts {
  host: Pick<Host, 'tray'>;
  log: Pick<Log, 'info' | 'warn'>;
  settings: Pick<SettingsStore, 'current' | 'onChange'>;
  orders: TrayOrders;
  /** Of the dashboard. */
  address: string;
}

/** The setting `systemTray` takes effect: an icon beside the clock as long as it is on. Nothing is loaded where it is off. */
export function followTray({ host, log, settings, orders, address }: TrayParts): { stop(): Promise<void> } {
  const { tray } = host;
  let shown: ShownTray | null = null;
  let work = Promise.resolve();
  const perform = (id: string) => {
    const act = acts[id];
    log.info(`tray: ${id} was chosen`);
    void Promise.resolve(act?.(orders)).catch((error) => log.warn(`tray: ${id}: ${messageOf(error)}`));
  };
  const apply = (isWanted: boolean) => {
    work = work
      .then(async () => {
        if (isWanted === (shown !== null)) return;
        shown?.remove();
        shown = isWanted ? ((await tray?.show('Hostler', itemsFor(address), perform)) ?? null) : null;
        if (shown?.isShown === false) log.info('tray: there is no taskbar yet; the icon comes with it');
      })
      .catch((error) => log.warn(`tray: ${messageOf(error)}`));
    return work;
  };
  if (tray === undefined) return { stop: async () => {} };
  settings.onChange(({ systemTray }) => void apply(systemTray));
  void apply(settings.current().systemTray);
  return { stop: () => apply(false) };
}

const hour = 3600;

const acts: Record<string, (orders: TrayOrders) => unknown> = {
  open: (orders) => orders.openDashboard(),
  'pause-hour': (orders) => orders.pauseControl(hour),
  pause: (orders) => orders.pauseControl(null),
  resume: (orders) => orders.resumeControl(),
  quit: (orders) => orders.quit(),
};

const itemsFor = (address: string): (TrayItem | null)[] => [
  { id: 'open', label: 'Open dashboard' },
  { id: 'copy', label: 'Copy address', copies: address },
  null,
  { id: 'pause-hour', label: 'Pause control for an hour' },
  { id: 'pause', label: 'Pause control' },
  { id: 'resume', label: 'Resume control' },
  null,
  { id: 'quit', label: 'Quit' },
];
