import { type Caller, commandLineId } from '../../core/caller.ts';
import type { OpenQuestions } from '../../core/prompts/open-prompt.ts';
import type { Service } from '../../core/service.ts';
import { allScopes } from '../../features/index.ts';
import { keptPower } from '../../features/power/power.ts';
import { words } from '../../features/power/power.verbs.ts';
import type { Clock } from '../../lib/clock.ts';
import type { TrayFacts } from './tray.menu.ts';

/** What the icon shows, and what it does about single things that it shows. */
export interface TrayState {
  facts(): Promise<TrayFacts>;
  /** Called when it has changed, but for who is connected: that is looked up when somebody wants to see it. Returns the way to stop. */
  follow(changed: () => void): () => void;
  /** Only the order with this number; false: it waits no longer. */
  cancelOrder(number: number): boolean;
  showQuestion(number: number): void;
}

interface TrayStateParts {
  service: Pick<Service, 'version' | 'clients' | 'controlPause' | 'keep'>;
  questions: OpenQuestions;
  clock: Clock;
  address: string;
  crashes(): string | null;
}

export function createTrayState({ service, questions, clock, address, crashes }: TrayStateParts): TrayState {
  const power = () => service.keep(keptPower);
  let numbered: { waiting: object; number: number } | null = null;
  let last = 0;
  /** Each order that waits is an object of its own, also one that takes the place of another. */
  const pending = () => {
    const waiting = power().pending();
    if (waiting === null) return null;
    if (numbered?.waiting !== waiting) {
      last++;
      numbered = { waiting, number: last };
    }
    const { verb, at, by } = waiting;
    return { number: numbered.number, verb, will: words[verb].will, at, token: by.token };
  };

  return {
    async facts() {
      const clients = await service.clients.list(atTheScreen);
      return {
        version: service.version,
        address,
        paused: service.controlPause.current(),
        pending: pending(),
        question: questions.current(),
        clients: clients.map(({ caller }) => caller.tokenName),
        crashes: crashes(),
      };
    },
    follow(changed) {
      // That the time of a pause is up is told by nobody.
      let cancelEnd = () => {};
      const awaitEnd = () => {
        cancelEnd();
        const until = service.controlPause.current()?.until ?? null;
        cancelEnd = until === null ? () => {} : clock.after(Math.max(0, until - clock.now()) + 50, heard);
      };
      const heard = () => {
        awaitEnd();
        changed();
      };
      const stops = [
        service.controlPause.onChange(heard),
        power().followPending(() => changed()),
        questions.onChange(changed),
      ];
      awaitEnd();
      return () => {
        cancelEnd();
        for (const stop of stops) stop();
      };
    },
    cancelOrder(number) {
      const waiting = power().pending();
      if (waiting === null || numbered?.waiting !== waiting || numbered.number !== number) return false;
      return power().cancelAtScreen(waiting);
    },
    showQuestion: questions.showAgain,
  };
}

/** Whoever sees the icon sits at this machine, as the user whose service this is. */
const atTheScreen: Caller = {
  tokenName: 'the user',
  tokenId: commandLineId,
  scopes: new Set(allScopes),
  connection: () => ({ address: '127.0.0.1', forwarded: false, isOurUser: async () => true }),
};
