// Not on Windows: its commands are shell scripts; test/real runs a command under Wine.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { fakeActionContext, fakeClock, fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { realContained } from '../../../test/harness/contained.ts';
import { perform } from '../../../test/harness/perform.ts';
import { until } from '../../../test/harness/until.ts';
import type { ActionResult } from '../../core/action.ts';
import type { AllowedCommand } from '../../core/files/allowed-command.ts';
import { createRunner } from '../../host/processes/run.ts';
import { defaultSettings } from '../index.ts';
import { createCommands, createStreaming, type OutputPart } from './command.run.ts';
import type { CommandOutput } from './command.schema.ts';
import { commandExecute } from './command.ts';

setDefaultTimeout(60_000);

let home: string;
const runner = createRunner();
beforeAll(() => {
  home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-command-')));
  fs.writeFileSync(path.join(home, 'script.sh'), '#!/bin/sh\necho from a script', { mode: 0o755 });
  fs.writeFileSync(path.join(home, 'plain.txt'), 'no program', { mode: 0o644 });
});
afterAll(async () => {
  await runner.endAll();
  fs.rmSync(home, { recursive: true, force: true });
});

const entry = (given: Partial<AllowedCommand>): AllowedCommand => ({
  id: 'it',
  name: 'It',
  command: '/bin/true',
  workingDir: '',
  arguments: [],
  ...given,
});
/** Uses the shell because a script can fail in many ways. */
const sh = (script: string, given: Partial<AllowedCommand> = {}) =>
  entry({ command: '/bin/sh', arguments: ['-c', script], ...given });

const machine = (variables: Record<string, string> = {}, run = runner.run) =>
  fakeHost({
    contained: realContained(),
    run,
    environment: { home, variables },
    session: { find: async () => ({ variables: { DISPLAY: ':7' }, wayland: null, x11: null }), watch: () => () => {} },
  });

function context(allowlist: AllowedCommand[], host = machine()) {
  const logged: string[] = [];
  const note = (line: string) => void logged.push(line);
  const log = { ...fakeContext().log, info: note, warn: note };
  const made = fakeActionContext(host, { settings: () => ({ ...defaultSettings, commands: { allowlist } }), log });
  const execute = async (input: unknown): Promise<Record<string, unknown>> => {
    const answer = await perform(commandExecute, input, made.context);
    return Object.fromEntries(Object.entries(answer ?? {}));
  };
  return { ...made, sent: made.notifications, logged, execute };
}

const partSchema = z.strictObject({ commandID: z.literal('it'), stream: z.string(), text: z.string().min(1) });
const it = { commandID: 'it' };

describe('a command of the list', () => {
  test('is announced at once, and then answered with its output', async () => {
    const { execute, sent } = context([sh('echo out; echo err >&2; exit 3')]);
    expect(await execute(it)).toEqual({ commandID: 'it', exitCode: 3, stdout: 'out\n', stderr: 'err\n' });
    expect(sent).toEqual([{ type: 'COMMAND_EXECUTING', data: { commandID: 'it' } }]);
  });

  test('gets its arguments unchanged, without a shell', async () => {
    const args = ['%s|', '$HOME', '; echo x', '`id`', '*', '~', '', '--', "it's"];
    const { execute } = context([entry({ command: '/usr/bin/printf', arguments: args })]);
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
    const { execute } = context([entry({ command: '/usr/bin/env' })], machine(variables));
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
    const { execute } = context([entry({ command: '/bin/pwd', workingDir })]);
    expect((await execute(it)).stdout).toBe(`${path.resolve(home, expected)}\n`);
  });

  test('may be in the home directory', async () => {
    const { execute } = context([entry({ command: '~/script.sh' })]);
    expect((await execute(it)).stdout).toBe('from a script\n');
  });

  test('has an empty standard input', async () => {
    const { execute } = context([entry({ command: '/bin/cat' })]);
    expect(await execute(it)).toEqual({ commandID: 'it', exitCode: 0, stdout: '', stderr: '' });
  });

  test('leaves a line in the log with the caller and the outcome, without the output', async () => {
    const { execute, logged } = context([sh('echo private; exit 4')]);
    await execute(it);
    expect(logged).toEqual([
      'command: "it" was started by main at 127.0.0.1',
      'command: "it", started by main at 127.0.0.1, exited with code 4',
    ]);
  });

  test('terminated by a signal reports the signal', async () => {
    const { execute } = context([sh('kill -KILL $$')]);
    expect(await execute(it)).toMatchObject({ exitCode: -1, error: 'The command was terminated by SIGKILL' });
  });

  test('that cannot be started reports the reason', async () => {
    const { execute, logged } = context([entry({ command: '~/plain.txt' })]);
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
    const { execute, sent } = context([entry({})]);
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
    const { execute, sent, logged } = context([entry(given)]);
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
      await expect(context([entry({})]).execute(input)).rejects.toMatchObject({ code: 'invalid' });
    },
  );

  test('a ninth one at the same time; another one runs when one has ended', async () => {
    const go = path.join(home, 'go');
    const { execute, context: own } = context([
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
    await expect(context([entry({})], host).execute(it)).rejects.toThrow('does not respond');
  });
});

describe('a command that exceeds its limits', () => {
  const run = (command: AllowedCommand, limitMs: number) => {
    const { context: made } = context([]);
    const commands = createCommands(made, limitMs);
    return commands.run(command, { ...made, stream: false });
  };
  /** Repeats with a longer limit until the script got far enough before it. */
  const untilFar = async (
    command: AllowedCommand,
    isFar: (data: CommandOutput) => boolean,
    limitMs = 500,
  ): Promise<ActionResult<CommandOutput>> => {
    const answer = await run(command, limitMs);
    return isFar(answer.data) || limitMs > 10_000 ? answer : await untilFar(command, isFar, limitMs * 3);
  };

  test('is terminated with all its children when its time is up', async () => {
    const file = path.join(home, 'grandchild');
    const script = `(sh -c 'sleep 1000 & echo $! > ${file}; wait') & echo so far; wait`;
    const { data } = await untilFar(sh(script), ({ stdout }) => stdout !== '' && fs.existsSync(file));
    expect(data).toEqual({
      commandID: 'it',
      exitCode: -1,
      stdout: 'so far\n',
      stderr: '',
      error: expect.stringMatching(
        /^The command was terminated after [\d.]+ s, together with everything it had started$/,
      ),
    });
    const pid = Number(fs.readFileSync(file, 'utf8'));
    expect(pid).toBeGreaterThan(1);
    await until(() => !isAlive(pid), 'the grandchild to be gone');
  });

  test('may write any amount, of which a mebibyte is returned', async () => {
    const before = process.memoryUsage().rss;
    const { data, message } = await run(sh('head -c 300000000 /dev/zero | tr "\\0" y; echo end >&2'), 50_000);
    expect(data).toMatchObject({ exitCode: 0, stderr: 'end\n' });
    expect(data.stdout).toBe('y'.repeat(1024 * 1024));
    expect(Object.keys(data)).toEqual(['commandID', 'exitCode', 'stdout', 'stderr']);
    expect(message).toBe('Its output exceeded 1048576 bytes; the rest was dropped');
    // With a heap this large, garbage is not collected at once.
    Bun.gc(true);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });

  test('without an end (yes) is terminated, and returns a mebibyte', async () => {
    const { data } = await untilFar(entry({ command: '/usr/bin/yes' }), ({ stdout }) => stdout.length >= 1024 * 1024);
    expect(data.exitCode).toBe(-1);
    expect(data.stdout.length).toBe(1024 * 1024);
  });

  test('is terminated with all its children when its token is revoked, and not when its connection closes', async () => {
    const file = path.join(home, 'revoked');
    const script = `(sleep 1000 & echo $! > ${file}; wait) & wait`;
    const token = new AbortController();
    const { context: made } = context([sh(script)]);
    const running = commandExecute.run(it, { ...made, signal: AbortSignal.abort(), orderSignal: token.signal });
    await until(() => fs.existsSync(file) && fs.readFileSync(file, 'utf8') !== '', 'the grandchild to run');
    const pid = Number(fs.readFileSync(file, 'utf8'));
    expect(isAlive(pid)).toBe(true);
    token.abort(new Error('the token was revoked'));
    expect((await running).data).toMatchObject({ exitCode: -1, error: 'the token was revoked' });
    await until(() => !isAlive(pid), 'the grandchild to be gone');
  });

  test('is terminated when the service stops', async () => {
    const mine = createRunner();
    const file = path.join(home, 'stopped');
    const script = `(sleep 1000 & echo $! > ${file}; wait) & wait`;
    const { execute } = context([sh(script)], machine({}, mine.run));
    const running = execute(it);
    await until(() => fs.existsSync(file) && fs.readFileSync(file, 'utf8') !== '', 'the grandchild to run');
    await mine.endAll();
    expect(await running).toMatchObject({ exitCode: -1, error: 'The command was terminated by SIGTERM' });
    await until(() => !isAlive(Number(fs.readFileSync(file, 'utf8'))), 'the grandchild to be gone');
  });
});

describe('output of a running command', () => {
  test('is sent to clients that request it, before the response', async () => {
    const go = path.join(home, 'received');
    const script = `echo grüße; echo oh >&2; while [ ! -e ${go} ]; do sleep 0.05; done; echo end`;
    const host = machine();
    const { execute, sent } = context([sh(script)], host);
    const running = execute({ ...it, stream: true });
    const texts = (stream: string) =>
      sent.flatMap(({ type, data }) => {
        const part = type === 'COMMAND_OUTPUT' ? partSchema.parse(data) : null;
        return part?.stream === stream ? [part.text] : [];
      });
    await until(() => {
      host.clock.advance(100);
      return texts('stdout').length > 0 && texts('stderr').length > 0;
    }, 'the first words');
    fs.writeFileSync(go, '');
    expect(await running).toEqual({ commandID: 'it', exitCode: 0, stdout: 'grüße\nend\n', stderr: 'oh\n' });
    expect(texts('stdout').join('')).toBe('grüße\nend\n');
    expect(texts('stderr').join('')).toBe('oh\n');
    expect(sent[0]).toEqual({ type: 'COMMAND_EXECUTING', data: { commandID: 'it' } });
  });

  test('is not sent without a request', async () => {
    const { execute, sent } = context([sh('echo x')]);
    await execute({ ...it, stream: false });
    expect(sent.map(({ type }) => type)).toEqual(['COMMAND_EXECUTING']);
  });

  test('is joined to at most ten parts a second', () => {
    const clock = fakeClock();
    const parts: OutputPart[] = [];
    const { add, end } = createStreaming(clock, (part) => void parts.push(part));
    for (let ms = 0; ms < 1000; ms += 1) {
      add('stdout', 'x');
      clock.advance(1);
    }
    expect(parts.length).toBeLessThanOrEqual(11);
    add('stderr', 'e');
    end();
    expect(parts.flatMap(({ stream, text }) => (stream === 'stdout' ? [text] : [])).join('')).toBe('x'.repeat(1000));
    expect(parts.at(-1)).toEqual({ stream: 'stderr', text: 'e' });
    end();
    clock.advance(1000);
    expect(clock.advanceToNext()).toBeFalse();
  });
});

test('without a list the action says what is missing', async () => {
  const { context: made } = context([]);
  expect(await commandExecute.unavailable(made)).toContain('commands.allowlist');
  expect(await commandExecute.unavailable(context([entry({})]).context)).toBeNull();
});

function isAlive(pid: number): boolean {
  try {
    // A zombie still has its PID; its parent collects it.
    return fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] !== 'Z';
  } catch {
    return false;
  }
}
