import type { Clock } from '../../../lib/clock.ts';
import type { StartThread } from '../../../lib/thread.ts';
import { type MonitorAnswer, type MonitorQuestion, noAnswer } from './monitor-requests.ts';

/** Longer than three tries of everything take; then the kernel itself hangs. */
const silentMs = 45_000;

/** A thread for one question after another. One that does not come back is left behind. */
export function openMonitorThread(startThread: StartThread, clock: Clock) {
  let settle: (answer: MonitorAnswer) => void = () => {};
  let isOver = false;
  const thread = startThread('displays.monitors', null, {
    message: (answer) => settle(answer as MonitorAnswer),
    failed: (reason) => {
      isOver = true;
      settle({ kind: 'silent', problem: reason });
    },
  });
  return {
    async ask(question: MonitorQuestion): Promise<MonitorAnswer> {
      if (isOver) return noAnswer;
      const started = await thread;
      return await new Promise((resolve) => {
        // It hangs in the kernel, and is left behind.
        const giveUp = clock.after(silentMs, () => {
          isOver = true;
          resolve(noAnswer);
        });
        settle = (answer) => {
          giveUp();
          resolve(answer);
        };
        started.send(question);
      });
    },
    end: () => void thread.then((started) => started.end()).catch(() => {}),
  };
}
