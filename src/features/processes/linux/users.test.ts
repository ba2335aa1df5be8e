import { describe, expect, test } from 'bun:test';
import { fakeClock, fakeHost } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { parsePasswd } from '../../../host/linux/passwd.ts';
import type { RunResult } from '../../../host/processes/process-group.ts';
import { createUserNames } from './users.ts';

const passwd = 'root:x:0:0:root:/root:/bin/bash\nada:x:1000:1000::/home/ada:/bin/sh\n';
const turn = () => new Promise((resolve) => setImmediate(resolve));
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
  const asked: string[][] = [];
  const clock = fakeClock();
  const run = (program: string, args: string[]) => {
    asked.push([program, ...args]);
    return answer();
  };
  const users = createUserNames(fakeHost({ files, clock, run, environment: { variables } }));
  return { files, asked, clock, users };
}

describe('names of users', () => {
  test('are those of /etc/passwd, and no program is asked', async () => {
    const { users, asked } = names(async () => printed(''));
    expect(users.of(1000).name).toBe('ada');
    users.refresh();
    await turn();
    expect(asked).toEqual([]);
  });

  test('that /etc/passwd does not have are numbers, until getent has answered for all of them', async () => {
    const { users, asked } = names(async () => printed('grace:*:70001:70001:Grace:/home/grace:/bin/bash\n'));
    const [grace, nobody] = [users.of(70001), users.of(70002)];
    expect([grace.name, nobody.name]).toEqual(['70001', '70002']);
    users.refresh();
    expect([grace.name, nobody.name]).toEqual(['70001', '70002']);
    await turn();
    expect([grace.name, nobody.name]).toEqual(['grace', '70002']);
    expect(users.of(70001)).toBe(grace);
    expect(asked).toEqual([['/usr/bin/getent', 'passwd', '70001', '70002']]);
  });

  test('that nobody knows are asked for again after an hour, not before', async () => {
    const { users, asked, clock } = names(async () => printed(''));
    users.of(70002);
    for (let minute = 0; minute <= 60; minute += 1) {
      users.refresh();
      await turn();
      clock.advance(60_000);
    }
    expect(asked).toHaveLength(1);
    users.refresh();
    await turn();
    expect(asked).toHaveLength(2);
  });

  test('stay numbers where getent fails, and while it takes its time nothing else is started', async () => {
    const waiting = Promise.withResolvers<RunResult>();
    const { users, asked } = names(() => waiting.promise);
    const user = users.of(70001);
    users.refresh();
    users.of(70002);
    users.refresh();
    await turn();
    expect(asked).toHaveLength(1);
    waiting.reject(new Error('broken'));
    await turn();
    expect(user.name).toBe('70001');
    users.refresh();
    expect(asked).toHaveLength(2);
  });

  test('follow /etc/passwd when it changes', () => {
    const { users, files, clock } = names(async () => printed(''));
    const user = users.of(1000);
    files.write('/etc/passwd', passwd.replace('ada', 'lovelace'));
    clock.advance(30_000);
    users.refresh();
    expect(user.name).toBe('lovelace');
  });

  test('of another machine that was mounted are not asked for here', async () => {
    const { users, asked } = names(async () => printed(''), { HOSTLER_PROC: '/host/proc' });
    expect(users.of(70001).name).toBe('70001');
    users.refresh();
    await turn();
    expect(asked).toEqual([]);
  });
});

test('lines that are no users are passed over, and the first name of a number counts', () => {
  const text = '# comment:x:1:\n\n+:::::\n-@old:x:5:\nroot:x:0:0\ntoor:x:0:0\nbroken\nnumber:x:abc:1\n';
  expect([...parsePasswd(text)]).toEqual([[0, 'root']]);
});
