import type { Clock } from '../../../lib/clock.ts';
import type { StartThread } from '../../../lib/thread.ts';
import { type MonitorReply, type MonitorRequest, noReply } from './monitor-requests.ts';

/** Longer than three attempts of all queries take: then the kernel itself hangs. */
const silentMs = 45_000;

/** A thread that answers one query after another. A thread that hangs in the kernel is abandoned. */
export function openMonitorThread(startThread: StartThread, clock: Clock) {
  let settle: (reply: MonitorReply) => void = () => {};
  let isOver = false;
  const thread = startThread('displays.monitors', null, {
    message: (reply) => settle(reply as MonitorReply),
    failed: (reason) => {
      isOver = true;
      settle({ kind: 'silent', problem: reason });
    },
  });
  return {
    async ask(request: MonitorRequest): Promise<MonitorReply> {
      if (isOver) return noReply;
      const started = await thread;
      return await new Promise((resolve) => {
        const giveUp = clock.after(silentMs, () => {
          isOver = true;
          resolve(noReply);
        });
        settle = (reply) => {
          giveUp();
          resolve(reply);
        };
        started.send(request);
      });
    },
    end: () => void thread.then((started) => started.end()).catch(() => {}),
  };
}
