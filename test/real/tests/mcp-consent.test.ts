import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { modes } from '../../harness/agents.ts';
import { until } from '../../harness/until.ts';
import { createPrivateBus, type PrivateBus } from '../harness/bus.ts';
import { connectTo } from '../harness/mcp-clients.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { type RunningHostler, startHostler } from '../harness/service.ts';
import { createPrivateX11, type PrivateX11 } from '../harness/x11.ts';

/** A command that leaves a mark, asked for by an agent and allowed or denied at a real desktop. */
describe.skipIf(!needs('Xvfb', 'dbus-daemon', 'dunst', 'dunstctl'))('consent at the desktop', () => {
  let x11: PrivateX11;
  let bus: PrivateBus;
  let hostler: RunningHostler;
  let dunst: ChildProcess;
  let variables: Record<string, string>;
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-consent-'));
  const wanted = path.join(directory, 'wanted');
  const mark = path.join(directory, 'mark');

  const dunstctl = (...args: string[]) =>
    execFileSync(findProgram('dunstctl') ?? '', args, {
      env: variables,
      encoding: 'utf8',
      timeout: 30_000,
      stdio: 'pipe',
    });
  const shown = () => {
    try {
      return Number(dunstctl('count', 'displayed'));
    } catch {
      return -1;
    }
  };

  beforeAll(async () => {
    x11 = createPrivateX11('Xvfb');
    bus = createPrivateBus();
    await Promise.all([x11.start(), bus.start()]);
    variables = { PATH: process.env.PATH ?? '', DISPLAY: x11.display(), DBUS_SESSION_BUS_ADDRESS: bus.address };
    const config = path.join(directory, 'dunstrc');
    // The menu of buttons is another program: this one takes the line that the test wants.
    const pick = path.join(directory, 'pick.sh');
    fs.writeFileSync(pick, `#!/bin/sh\ngrep -m1 -F "$(cat '${wanted}')"\n`, { mode: 0o755 });
    fs.writeFileSync(config, `[global]\n  dmenu = ${pick}\n  font = Monospace 8\n  markup = full\n`);
    dunst = spawn(findProgram('dunst') ?? '', ['-conf', config], {
      env: { ...variables, HOME: directory },
      stdio: 'ignore',
    });
    await until(() => shown() === 0, 'dunst answers');
    const allowlist = [{ id: 'mark', name: 'Mark', command: '/usr/bin/touch', workingDir: '', arguments: [mark] }];
    hostler = await startHostler({
      env: variables,
      prepare(place) {
        fs.mkdirSync(path.join(place, 'config'));
        const settings = { commands: { allowlist }, mcp: { commands: ['mark'] } };
        fs.writeFileSync(path.join(place, 'config', 'settings.json'), JSON.stringify(settings));
      },
    });
  }, 120_000);
  afterEach(() => fs.rmSync(mark, { force: true }));
  afterAll(async () => {
    await hostler?.stop();
    if (dunst !== undefined && dunst.exitCode === null) {
      const exit = once(dunst, 'exit');
      dunst.kill('SIGKILL');
      await exit;
    }
    await bus?.remove();
    await x11?.remove();
    fs.rmSync(directory, { recursive: true, force: true });
  });

  const press = (label: string) => {
    fs.writeFileSync(wanted, label);
    dunstctl('context');
  };
  const run = (client: Client) => client.callTool({ name: 'run_command', arguments: { command_id: 'mark' } });

  describe.each(modes)('in mode %j', (mode) => {
    test('Allow lets it happen', async () => {
      const client = await connectTo(hostler, { mode, over: 'http' });
      const answer = run(client);
      await until(() => shown() === 1, 'the question is on the screen');
      expect(fs.existsSync(mark)).toBe(false);
      press('Allow');
      expect((await answer).structuredContent).toMatchObject({ exit_code: 0 });
      expect(fs.existsSync(mark)).toBe(true);
      await until(() => shown() === 0, 'the question is gone');
      await client.close();
    }, 60_000);

    test.each([
      ['Deny', () => press('Deny')],
      ['closing it', () => void dunstctl('close')],
      ['the end of the wait of its client', null],
    ])(
      '%s keeps it from happening, whatever the client would say',
      async (_name, act) => {
        const client = await connectTo(hostler, {
          mode,
          over: 'http',
          options: { capabilities: { elicitation: { form: {} } } },
        });
        client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { allow: true } }));
        const control = new AbortController();
        const answer = client
          .callTool({ name: 'run_command', arguments: { command_id: 'mark' } }, { signal: control.signal })
          .catch((error: Error) => error);
        await until(() => shown() === 1, 'the question is on the screen');
        if (act === null) control.abort();
        else act();
        const result = await answer;
        if (act === null) expect(result).toBeInstanceOf(Error);
        else expect(JSON.stringify(result)).toContain('did not allow run_command');
        await until(() => shown() === 0, 'the question is gone');
        expect(fs.existsSync(mark)).toBe(false);
        await client.close();
      },
      60_000,
    );
  });
});
