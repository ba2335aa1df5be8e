import { type Caller, commandLineId } from '../../core/caller.ts';
import type { OpenPrompts } from '../../core/prompts/open-prompt.ts';
import type { Service } from '../../core/service.ts';
import { allScopes } from '../../features/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { isObject } from '../../lib/values.ts';
import type { PendingOrder, TrayFacts } from './tray.menu.ts';

/** The state that the icon shows, and the actions on single items of it. */
export interface TrayState {
  facts(): Promise<TrayFacts>;
  /** Called after changes, except of the list of clients, which is read when the menu opens. Returns the function that stops it. */
  follow(changed: () => void): () => void;
  /** Only the order with this number; false: it is not pending any more. */
  cancelOrder(number: number): Promise<boolean>;
  showPrompt(number: number): void;
}

interface TrayStateParts {
  service: Pick<Service, 'version' | 'clients' | 'controlPause' | 'actions' | 'perform' | 'keep'>;
  prompts: OpenPrompts;
  clock: Clock;
  address: string;
  crashes(): string | null;
}

export function createTrayState({ service, prompts, clock, address, crashes }: TrayStateParts): TrayState {
  const action = (name: string) => service.actions.find((each) => each.name === name);
  const call = async (name: string) => {
    const called = action(name);
    return called === undefined ? null : (await service.perform(called, {}, fromTheMenu)).data;
  };
  let numbered = { order: '', number: 0 };
  const pending = async (): Promise<PendingOrder | null> => {
    const data = await call('power.pending');
    const waiting = isObject(data) && isObject(data.pending) ? data.pending : null;
    if (waiting === null) return null;
    const order = JSON.stringify(waiting);
    if (numbered.order !== order) numbered = { order, number: numbered.number + 1 };
    const verb = String(waiting.action);
    const will = action(`power.${verb}`)?.will ?? `power.${verb} is pending`;
    return { number: numbered.number, verb, will, at: Date.parse(String(waiting.at)), token: String(waiting.token) };
  };
  const followPending = (changed: () => void) => {
    let isOver = false;
    let stop = () => {};
    void action('power.cancel')
      ?.entities?.()
      .then(({ follow }) => {
        if (!isOver) stop = follow?.(service.keep, changed) ?? stop;
      });
    return () => {
      isOver = true;
      stop();
    };
  };

  return {
    async facts() {
      const clients = await service.clients.list(atTheScreen);
      return {
        version: service.version,
        address,
        paused: service.controlPause.current(),
        pending: await pending(),
        prompt: prompts.current(),
        clients: clients.map(({ caller }) => caller.tokenName),
        crashes: crashes(),
      };
    },
    follow(changed) {
      // Nothing announces the end of a timed pause.
      let cancelEnd = () => {};
      const awaitEnd = () => {
        cancelEnd();
        const until = service.controlPause.current()?.until ?? null;
        cancelEnd = until === null ? () => {} : clock.after(Math.max(0, until - clock.now()) + 50, pauseChanged);
      };
      const pauseChanged = () => {
        awaitEnd();
        changed();
      };
      const stops = [service.controlPause.onChange(pauseChanged), followPending(changed), prompts.onChange(changed)];
      awaitEnd();
      return () => {
        cancelEnd();
        for (const stop of stops) stop();
      };
    },
    async cancelOrder(number) {
      if ((await pending())?.number !== number) return false;
      await call('power.cancel');
      return true;
    },
    showPrompt: prompts.showAgain,
  };
}

/** The user who sees the icon is at this machine and owns the service. */
const atTheScreen: Caller = {
  tokenName: 'the user',
  tokenId: commandLineId,
  scopes: new Set(allScopes),
  connection: () => ({ address: '127.0.0.1', forwarded: false, isOurUser: async () => true }),
};

/** Log lines about orders name the screen instead of an address. */
const fromTheMenu: Caller = {
  ...atTheScreen,
  connection: () => ({ ...atTheScreen.connection(), address: 'the screen' }),
};
