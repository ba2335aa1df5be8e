import { describe, expect, test } from 'bun:test';
import { fakeClock, fakeHost } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { parsePasswd } from '../../../host/linux/passwd.ts';
import type { RunResult } from '../../../host/processes/process-group.ts';
import { createUserNames } from './users.ts';

const passwd = 'root:x:0:0:root:/root:/bin/bash\nada:x:1000:1000::/home/ada:/bin/sh\n';
const tick = () => new Promise((resolve) => setImmediate(resolve));
const printed = (stdout: string): RunResult => ({
  exitCode: 2,
  signal: null,
  stdout,
  stderr: '',
  truncated: false,
  timedOut: false,
});

function names(answer: () => Promise<RunResult>, variables: Record<string, string> = {}) {
  const files = machineFiles({ '/etc/passwd': passwd, '/usr/bin/getent': '' });
  const runs: string[][] = [];
  const clock = fakeClock();
  const run = (program: string, args: string[]) => {
    runs.push([program, ...args]);
    return answer();
  };
  const users = createUserNames(fakeHost({ files, clock, run, environment: { variables } }));
  return { files, runs, clock, users };
}

describe('names of users', () => {
  test('are those of /etc/passwd, without running a program', async () => {
    const { users, runs } = names(async () => printed(''));
    expect(users.of(1000).name).toBe('ada');
    users.refresh();
    await tick();
    expect(runs).toEqual([]);
  });

  test('that /etc/passwd lacks are numbers until one getent call has answered for all of them', async () => {
    const { users, runs } = names(async () => printed('grace:*:70001:70001:Grace:/home/grace:/bin/bash\n'));
    const [grace, unknown] = [users.of(70001), users.of(70002)];
    expect([grace.name, unknown.name]).toEqual(['70001', '70002']);
    users.refresh();
    expect([grace.name, unknown.name]).toEqual(['70001', '70002']);
    await tick();
    expect([grace.name, unknown.name]).toEqual(['grace', '70002']);
    expect(users.of(70001)).toBe(grace);
    expect(runs).toEqual([['/usr/bin/getent', 'passwd', '70001', '70002']]);
  });

  test('that are unknown are requested again after an hour, not before', async () => {
    const { users, runs, clock } = names(async () => printed(''));
    users.of(70002);
    for (let minute = 0; minute <= 60; minute += 1) {
      users.refresh();
      await tick();
      clock.advance(60_000);
    }
    expect(runs).toHaveLength(1);
    users.refresh();
    await tick();
    expect(runs).toHaveLength(2);
  });

  test('stay numbers if getent fails, and only one getent runs at a time', async () => {
    const waiting = Promise.withResolvers<RunResult>();
    const { users, runs } = names(() => waiting.promise);
    const user = users.of(70001);
    users.refresh();
    users.of(70002);
    users.refresh();
    await tick();
    expect(runs).toHaveLength(1);
    waiting.reject(new Error('broken'));
    await tick();
    expect(user.name).toBe('70001');
    users.refresh();
    expect(runs).toHaveLength(2);
  });

  test('follow /etc/passwd when it changes', () => {
    const { users, files, clock } = names(async () => printed(''));
    const user = users.of(1000);
    files.write('/etc/passwd', passwd.replace('ada', 'lovelace'));
    clock.advance(30_000);
    users.refresh();
    expect(user.name).toBe('lovelace');
  });

  test('of another machine that was mounted are not requested from getent', async () => {
    const { users, runs } = names(async () => printed(''), { HOSTLER_PROC: '/host/proc' });
    expect(users.of(70001).name).toBe('70001');
    users.refresh();
    await tick();
    expect(runs).toEqual([]);
  });
});

test('invalid lines are ignored, and the first name of a UID counts', () => {
  const text = '# comment:x:1:\n\n+:::::\n-@old:x:5:\nroot:x:0:0\ntoor:x:0:0\nbroken\nnumber:x:abc:1\n';
  expect([...parsePasswd(text)]).toEqual([[0, 'root']]);
});
