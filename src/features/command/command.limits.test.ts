// Not on Windows: its commands are shell scripts; test/real runs a command under Wine.
import { describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import {
  commandContext,
  commandMachine,
  entry,
  home,
  it,
  partSchema,
  sh,
  useCommandHome,
} from '../../../test/harness/command.ts';
import { until } from '../../../test/harness/until.ts';
import type { ActionResult } from '../../core/action.ts';
import type { AllowedCommand } from '../../core/files/allowed-command.ts';
import { createRunner } from '../../host/processes/run.ts';
import { createCommands, createStreaming, type OutputPart } from './command.run.ts';
import type { CommandOutput } from './command.schema.ts';
import { commandExecute } from './command.ts';

useCommandHome();

describe('a command that exceeds its limits', () => {
  const run = (command: AllowedCommand, limitMs: number) => {
    const { context: made } = commandContext([]);
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
    const { context: made } = commandContext([sh(script)]);
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
    const { execute } = commandContext([sh(script)], commandMachine({}, mine.run));
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
    const host = commandMachine();
    const { execute, sent } = commandContext([sh(script)], host);
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
    const { execute, sent } = commandContext([sh('echo x')]);
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

function isAlive(pid: number): boolean {
  try {
    // A zombie still has its PID; its parent collects it.
    return fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] !== 'Z';
  } catch {
    return false;
  }
}
