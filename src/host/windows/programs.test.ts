import { expect, test } from 'bun:test';
import type { RunResult } from '../processes/process-group.ts';
import { holdInJob, programEnvironment, withoutScripts } from './programs.ts';

const result: RunResult = { exitCode: 0, signal: null, stdout: '', stderr: '', truncated: false, timedOut: false };

test.each(['C:\\x\\a.bat', 'C:\\x\\A.CMD', 'C:\\x\\a.cmd.', 'C:\\x\\a.bat  '])(
  '%p is never run: it would start a shell',
  async (program) => {
    await expect(withoutScripts(async () => result)(program, [])).rejects.toThrow('no shell');
  },
);

test('a program with arguments that name a script is run', async () => {
  expect(await withoutScripts(async () => result)('C:\\bat\\a.exe', ['x.bat'])).toBe(result);
});

test('a program is ended with its job, and a refused job is null', () => {
  const calls: string[] = [];
  const jobs = {
    adoptIntoJob: (pid: number) => (pid === 7 ? 44 : 0),
    endJob: (job: number) => void calls.push(`end ${job}`),
    closeJob: (job: number) => void calls.push(`close ${job}`),
  };
  const held = holdInJob(jobs)(7);
  held?.end();
  held?.letGo();
  expect(calls).toEqual(['end 44', 'close 44']);
  expect(holdInJob(jobs)(8)).toBeNull();
});

test('programs get the variables that Windows needs, and none of ours', () => {
  const variables: Record<string, string> = {
    SystemRoot: 'D:\\Win',
    TEMP: 'D:\\t',
    SERVICE_PORT: '1',
    PATH: 'D:\\evil',
  };
  expect(programEnvironment((name) => variables[name] ?? null)).toEqual({
    SystemRoot: 'D:\\Win',
    TEMP: 'D:\\t',
    PATH: 'D:\\Win\\System32;D:\\Win',
  });
});
