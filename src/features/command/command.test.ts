// Not on Windows: its commands are shell scripts; test/real runs a command under Wine.
import { describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { fakeHost } from '../../../test/doubles/fake-host.ts';
import { commandContext, commandMachine, entry, home, it, sh, useCommandHome } from '../../../test/harness/command.ts';
import { realContained } from '../../../test/harness/contained.ts';
import type { AllowedCommand } from '../../core/files/allowed-command.ts';
import { commandExecute } from './command.ts';

useCommandHome();

describe('a command of the list', () => {
  test('is announced at once, and then answered with its output', async () => {
    const { execute, sent } = commandContext([sh('echo out; echo err >&2; exit 3')]);
    expect(await execute(it)).toEqual({ commandID: 'it', exitCode: 3, stdout: 'out\n', stderr: 'err\n' });
    expect(sent).toEqual([{ type: 'COMMAND_EXECUTING', data: { commandID: 'it' } }]);
  });

  test('gets its arguments unchanged, without a shell', async () => {
    const args = ['%s|', '$HOME', '; echo x', '`id`', '*', '~', '', '--', "it's"];
    const { execute } = commandContext([entry({ command: '/usr/bin/printf', arguments: args })]);
    expect((await execute(it)).stdout).toBe(`${args.slice(1).join('|')}|`);
  });

  test('gets a short list of variables, and none of this service', async () => {
    const variables = {
      LANG: 'de_DE.UTF-8',
      XDG_DATA_HOME: '/data',
      PATH: '/evil',
      SERVICE_PORT: '1',
      HOSTLER_ROOT: '/x',
      NODE_OPTIONS: '--x',
      BUN_OPTIONS: '--x',
      npm_config_x: 'x',
      LD_PRELOAD: '/x.so',
      SECRET: 'x',
    };
    process.env.HOSTLER_TEST_SECRET = 'secret';
    const { execute } = commandContext([entry({ command: '/usr/bin/env' })], commandMachine(variables));
    const seen = String((await execute(it)).stdout)
      .trim()
      .split('\n')
      .sort();
    expect(seen).toEqual([
      'DISPLAY=:7',
      `HOME=${home}`,
      'LANG=de_DE.UTF-8',
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      'XDG_DATA_HOME=/data',
    ]);
  });

  test.each([
    ['', ''],
    ['~', ''],
    ['~/sub', 'sub'],
    ['/', '/'],
  ])('with the working directory %j runs there', async (workingDir, expected) => {
    fs.mkdirSync(path.join(home, 'sub'), { recursive: true });
    const { execute } = commandContext([entry({ command: '/bin/pwd', workingDir })]);
    expect((await execute(it)).stdout).toBe(`${path.resolve(home, expected)}\n`);
  });

  test('may be in the home directory', async () => {
    const { execute } = commandContext([entry({ command: '~/script.sh' })]);
    expect((await execute(it)).stdout).toBe('from a script\n');
  });

  test('has an empty standard input', async () => {
    const { execute } = commandContext([entry({ command: '/bin/cat' })]);
    expect(await execute(it)).toEqual({ commandID: 'it', exitCode: 0, stdout: '', stderr: '' });
  });

  test('leaves a line in the log with the caller and the outcome, without the output', async () => {
    const { execute, logged } = commandContext([sh('echo private; exit 4')]);
    await execute(it);
    expect(logged).toEqual([
      'command: "it" was started by main at 127.0.0.1',
      'command: "it", started by main at 127.0.0.1, exited with code 4',
    ]);
  });

  test('terminated by a signal reports the signal', async () => {
    const { execute } = commandContext([sh('kill -KILL $$')]);
    expect(await execute(it)).toMatchObject({ exitCode: -1, error: 'The command was terminated by SIGKILL' });
  });

  test('that cannot be started reports the reason', async () => {
    const { execute, logged } = commandContext([entry({ command: '~/plain.txt' })]);
    expect(await execute(it)).toEqual({
      commandID: 'it',
      exitCode: -1,
      stdout: '',
      stderr: '',
      error: 'Its program could not be started (EACCES)',
    });
    expect(logged.at(-1)).toContain(`failed: ${home}/plain.txt could not be started`);
  });
});

describe('a command is refused:', () => {
  test.each(['other', 'IT', '', '/bin/true', 'it '])('the id %j, which is not in the list', async (commandID) => {
    const { execute, sent } = commandContext([entry({})]);
    await expect(execute({ commandID })).rejects.toMatchObject({ code: 'not_found', subtype: 'COMMAND_NOT_FOUND' });
    expect(sent).toEqual([]);
  });

  test.each<[Partial<AllowedCommand>, string]>([
    [{ command: 'true' }, 'program "true" is not named by an absolute path. Use the full path'],
    [{ command: './true' }, 'program "./true" is not named by an absolute path. Use the full path'],
    [{ command: '/no/such/program' }, 'program /no/such/program does not exist'],
    [{ command: '/bin' }, 'program /bin is not a file'],
    [{ workingDir: 'sub' }, 'working directory "sub" is not named by an absolute path. Use the full path'],
    [{ workingDir: '/no/such/place' }, 'working directory /no/such/place does not exist'],
    [{ workingDir: '/etc/passwd' }, 'working directory /etc/passwd is not a directory'],
  ])('%j, and only the log says where: %s', async (given, sentence) => {
    const { execute, sent, logged } = commandContext([entry(given)]);
    const place = JSON.stringify(given.command ?? given.workingDir).slice(1, -1);
    const shown = sentence.replace(` "${place}"`, '').replace(` ${place}`, '');
    await expect(execute(it)).rejects.toMatchObject({
      code: 'failed',
      message: `The command "it" cannot be run: its ${shown}`,
    });
    expect(logged).toEqual([`command: main at 127.0.0.1 was refused: The command "it" cannot be run: its ${sentence}`]);
    expect(sent).toEqual([]);
  });

  test.each([[{}], [{ commandID: 7 }], [{ commandID: ['it'] }], [{ ...it, stream: 'yes' }]])(
    '%j, which is not a valid request',
    async (input) => {
      await expect(commandContext([entry({})]).execute(input)).rejects.toMatchObject({ code: 'invalid' });
    },
  );

  test('a ninth one at the same time; another one runs when one has ended', async () => {
    const go = path.join(home, 'go');
    const { execute, context: own } = commandContext([
      sh(`while [ ! -e ${go} ]; do sleep 0.05; done`),
      entry({ id: 'quick' }),
    ]);
    const eight = Array.from({ length: 8 }, () => execute(it));
    await expect(execute({ commandID: 'quick' })).rejects.toMatchObject({ code: 'rate_limited' });
    // Another token has its own share.
    const other = { ...own.caller, tokenId: 'other' };
    expect(await commandExecute.run({ commandID: 'quick' }, { ...own, caller: other })).toMatchObject({
      data: { exitCode: 0 },
    });
    fs.writeFileSync(go, '');
    for (const { exitCode } of await Promise.all(eight)) expect(exitCode).toBe(0);
    expect((await execute({ commandID: 'quick' })).exitCode).toBe(0);
  });

  test('a program on a path that does not answer, before anything is started', async () => {
    const host = fakeHost({
      contained: { ...realContained(), find: () => 'silent' },
      environment: { home },
    });
    await expect(commandContext([entry({})], host).execute(it)).rejects.toThrow('does not respond');
  });
});

test('without a list the action says what is missing', async () => {
  const { context: made } = commandContext([]);
  expect(await commandExecute.unavailable(made)).toContain('commands.allowlist');
  expect(await commandExecute.unavailable(commandContext([entry({})]).context)).toBeNull();
});
