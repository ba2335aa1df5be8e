import { messageOf } from '../../lib/errors.ts';
import { createSequence } from '../../lib/later.ts';
import type { Log } from '../../lib/log.ts';
import type { SettingsStore } from '../../settings/settings.ts';
import type { ShownTray, Tray } from './tray.contract.ts';
import { fixedTrayView, trayView } from './tray.menu.ts';
import type { TrayState } from './tray.state.ts';

export interface TrayOrders {
  openDashboard(): Promise<void>;
  /** null: until it is resumed. */
  pauseControl(seconds: number | null): Promise<void>;
  resumeControl(): Promise<void>;
  copyText(text: string): Promise<void>;
  quit(): void;
}

interface TrayParts {
  /** Omitted: this platform has none. */
  tray: Tray | undefined;
  log: Pick<Log, 'info' | 'warn'>;
  settings: Pick<SettingsStore, 'current' | 'onChange'>;
  orders: TrayOrders;
  /** Created when the icon is shown. */
  state(): TrayState;
  address: string;
}

/** Applies the setting `systemTray`: a tray icon as long as it is on. Nothing is loaded while it is off. */
export function followTray({ tray, log, settings, orders, state, address }: TrayParts): { stop(): Promise<void> } {
  let shown: { icon: ShownTray; stop(): void } | null = null;
  const inTurn = createSequence();
  const busy = new Set<string>();
  /** One of each at a time: a panel, or a program that imitates one, may press any number of times. */
  const perform = (id: string, about: TrayState | null) => {
    if (busy.has(id)) return;
    busy.add(id);
    log.info(`tray: ${id} was chosen`);
    void Promise.resolve()
      .then(() => act(id, { ...orders, copyAddress: () => orders.copyText(address) }, about))
      .catch((error) => log.warn(`tray: ${id}: ${messageOf(error)}`))
      .finally(() => busy.delete(id));
  };
  const note = (sentence: string) => log.info(`tray: ${sentence}`);

  const showFixed = async () => {
    const view = fixedTrayView(address);
    const events = { chosen: (id: string) => perform(id, null), opening: async () => view, note };
    return { icon: await tray?.show(view, events), stop: () => {} };
  };
  const showLive = async () => {
    const live = state();
    const current = async () => trayView(await live.facts());
    const icon = await tray?.show(await current(), {
      chosen: (id) => perform(id, live),
      opening: current,
      note,
    });
    let isOver = false;
    const stop = live.follow(() => {
      void current()
        .then((view) => (isOver ? undefined : icon?.update?.(view)))
        .catch((error) => log.warn(`tray: ${messageOf(error)}`));
    });
    return {
      icon,
      stop() {
        isOver = true;
        stop();
      },
    };
  };

  const change = async (isWanted: boolean) => {
    if (isWanted === (shown !== null)) return;
    shown?.stop();
    shown?.icon.remove();
    shown = null;
    if (!isWanted) return;
    const { icon, stop } = await (tray?.isLive ? showLive() : showFixed());
    if (icon === undefined) return;
    shown = { icon, stop };
    if (!icon.isShown) log.info('tray: no taskbar is running yet; the icon is shown when it starts');
  };
  const apply = (isWanted: boolean) =>
    inTurn(() => change(isWanted)).catch((error) => log.warn(`tray: ${messageOf(error)}`));
  if (tray === undefined) return { stop: async () => {} };
  settings.onChange(({ systemTray }) => void apply(systemTray));
  void apply(settings.current().systemTray);
  return { stop: () => apply(false) };
}

const hour = 3600;

type MenuOrders = TrayOrders & { copyAddress(): Promise<void> };

const acts: Record<string, (orders: MenuOrders) => unknown> = {
  open: (orders) => orders.openDashboard(),
  'pause-hour': (orders) => orders.pauseControl(hour),
  pause: (orders) => orders.pauseControl(null),
  resume: (orders) => orders.resumeControl(),
  copy: (orders) => orders.copyAddress(),
  quit: (orders) => orders.quit(),
};

/** `cancel:3` applies to the third order, and to no other. */
async function act(id: string, orders: MenuOrders, about: TrayState | null): Promise<void> {
  const [kind = '', number] = id.split(':');
  if (kind === 'prompt') return about?.showPrompt(Number(number));
  if (kind !== 'cancel') return void (await (Object.hasOwn(acts, id) ? acts[id]?.(orders) : undefined));
  if ((await about?.cancelOrder(Number(number))) === false) throw new Error('this order is no longer pending');
}
