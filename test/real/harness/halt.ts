import fs from 'node:fs';
import { until } from '../../harness/until.ts';

/** Stops a process and waits until every one of its threads is stopped: until then some of them may continue to answer. */
export async function halt(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  const tasks = `/proc/${pid}/task`;
  const isHalted = (task: string) => /^\d+ \(.*\) [Tt] /s.test(fs.readFileSync(`${tasks}/${task}/stat`, 'utf8'));
  await until(() => fs.readdirSync(tasks).every(isHalted), `process ${pid} stands still`);
}
