import type { Clock } from '../../../lib/clock.ts';
import type { StartThread } from '../../../lib/thread.ts';
import { type MonitorAnswer, type MonitorQuestion, noAnswer } from './monitor-requests.ts';

/** Longer than three attempts of all queries take: then the kernel itself hangs. */
const silentMs = 45_000;

/** A thread that answers one query after another. A thread that hangs in the kernel is abandoned. */
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
