import { PlaceError } from '../../lib/errors.ts';
import type { HoldTogether } from '../processes/process-group.ts';
import type { Run } from '../processes/run.ts';
import type { Kernel32 } from './native/kernel32.ts';

/** A job object ends a program together with its descendants. */
export const holdInJob =
  (kernel32: Pick<Kernel32, 'adoptIntoJob' | 'endJob' | 'closeJob'>): HoldTogether =>
  (pid) => {
    const job = kernel32.adoptIntoJob(pid);
    return job === 0 ? null : { end: () => kernel32.endJob(job), letGo: () => kernel32.closeJob(job) };
  };

/** Windows runs these in a shell, which parses the arguments differently. */
const scripts = /\.(?:bat|cmd)[\s.]*$/i;

export const withoutScripts =
  (run: Run): Run =>
  async (program, args, options) => {
    if (scripts.test(program)) {
      const sentence = 'is a script, and no shell is ever started for one';
      throw new PlaceError(`Its program ${sentence}`, `${program} ${sentence}`);
    }
    return await run(program, args, options);
  };

const passed = [
  'SystemRoot',
  'SystemDrive',
  'TEMP',
  'TMP',
  'USERPROFILE',
  'APPDATA',
  'LOCALAPPDATA',
  'ProgramData',
  'COMPUTERNAME',
];

/** None of our variables leaks into programs; without these, most programs of Windows do not start. */
export function programEnvironment(variable: (name: string) => string | null): Record<string, string> {
  const root = variable('SystemRoot') ?? 'C:\\Windows';
  const variables = passed.flatMap((name): [string, string][] => {
    const value = variable(name);
    return value === null ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(variables), PATH: `${root}\\System32;${root}` };
}
