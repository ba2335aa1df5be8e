import fs from 'node:fs';
import os from 'node:os';

const { PRIORITY_BELOW_NORMAL } = os.constants.priority;

/** Many kernels schedule each session as one: there the nice value of a process counts within its own session only (sched(7), autogroup). */
export function lowerPriority(pid: number): void {
  os.setPriority(pid, PRIORITY_BELOW_NORMAL);
  const session = `/proc/${pid}/autogroup`;
  if (fs.existsSync(session)) fs.writeFileSync(session, String(PRIORITY_BELOW_NORMAL));
}
