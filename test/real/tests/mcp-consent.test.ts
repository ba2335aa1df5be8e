import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { type Mode, modes } from '../../harness/agents.ts';
import { until } from '../../harness/until.ts';
import { callUntilAnswered, connectTo } from '../harness/mcp-clients.ts';
import { needs } from '../harness/parts.ts';
import { type PrivateDunst, startPrivateDunst } from '../harness/private-dunst.ts';
import { createToken, type RunningHostler, runHostler, startHostler } from '../harness/service.ts';

setDefaultTimeout(180_000);

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-consent-'));
const mark = path.join(directory, 'mark');
const other = path.join(directory, 'other');
afterEach(() => {
  for (const file of [mark, other]) fs.rmSync(file, { force: true });
});
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

/** Commands that create a marker file, offered to agents. */
const start = (env: Record<string, string>, mcp: object = {}) =>
  startHostler({
    env,
    prepare(place) {
      fs.mkdirSync(path.join(place, 'config'));
      const touch = (id: string, file: string) => ({
        id,
        name: id,
        command: '/usr/bin/touch',
        workingDir: '',
        arguments: [file, ...(id === 'other' ? ['--', '<b>a b</b>'] : [])],
      });
      const settings = {
        commands: { allowlist: [touch('mark', mark), touch('other', other)] },
        mcp: { commands: ['mark', 'other'], ...mcp },
      };
      fs.writeFileSync(path.join(place, 'config', 'settings.json'), JSON.stringify(settings));
    },
  });

const tokenOf = (hostler: RunningHostler, name: string) => createToken(hostler, name, 'read,notify,command');

/** Declares elicitation, and always accepts. */
async function selfApproving(hostler: RunningHostler, mode: Mode = 'auto', token = hostler.token): Promise<Client> {
  const options = { capabilities: { elicitation: { form: {} } } };
  const client = await connectTo(hostler, { mode, over: 'http', token, options });
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { allow: true } }));
  return client;
}

const run = (client: Client, id = 'mark', signal?: AbortSignal) =>
  callUntilAnswered(client, 'run_command', { command_id: id }, signal);
const textOf = ({ content }: { content?: unknown }) => JSON.stringify(content);

/** On the command line, once the prompt is open. */
async function deny({ directory }: RunningHostler): Promise<void> {
  await until(async () => {
    const [prompt] = JSON.parse((await runHostler(['approve', '--json'], { directory })).stdout) as { id: string }[];
    if (prompt === undefined) return false;
    return (await runHostler(['approve', prompt.id, '--deny'], { directory })).code === 0;
  }, 'the prompt is denied');
}

type Line = { tool: string; decision: string; agreed?: string };
async function recorded({ directory }: RunningHostler): Promise<Line[]> {
  const { stdout } = await runHostler(['mcp', 'log', '--json'], { directory });
  // On a slow machine the answer comes while no call waits.
  return (JSON.parse(stdout) as Line[]).filter(({ decision }) => !['pending', 'allowed'].includes(decision));
}

describe.skipIf(!needs('Xvfb', 'dbus-daemon', 'dunst', 'dunstctl'))('consent at the desktop', () => {
  let dunst: PrivateDunst;
  let hostler: RunningHostler;
  beforeAll(async () => {
    dunst = await startPrivateDunst();
  });
  // A separate service for each test: a denied client has to wait.
  beforeEach(async () => {
    hostler = await start(dunst.variables);
  });
  afterEach(async () => {
    dunst.thaw();
    process.kill(hostler.pid, 'SIGCONT');
    await hostler?.stop();
    dunst.history();
  });
  afterAll(async () => await dunst?.remove());

  const onScreen = (count = 1) => until(() => dunst.shown() === count, `${count} notifications are on the screen`);
  const prompts = () => dunst.history().filter(({ appname }) => appname === 'Hostler permission');
  /** Retries while another prompt is open. */
  const shownFor = async (client: Client, id: string) => {
    for (;;) {
      await onScreen(0);
      const answer = run(client, id);
      let result: unknown = null;
      void answer.then((given) => {
        result = given;
      });
      await until(() => result !== null || dunst.shown() === 1, 'the prompt is shown or refused');
      if (result === null) return { answer };
      expect(JSON.stringify(result)).toContain('still being asked');
    }
  };
  /** As a user who reads first: a press that comes too early is repeated. */
  const allow = async (answer: Promise<unknown>) => {
    let done = false;
    void answer.finally(() => {
      done = true;
    });
    await until(async () => {
      await Bun.sleep(1100);
      if (!done && dunst.shown() === 1) await dunst.press('Allow');
      return done;
    }, 'Allow counts');
  };

  describe.each(modes)('in mode %j', (mode) => {
    test('Allow runs the tool, and the audit log records who agreed', async () => {
      const client = await connectTo(hostler, { mode, over: 'http' });
      const answer = run(client);
      await onScreen();
      expect(fs.existsSync(mark)).toBe(false);
      await allow(answer);
      expect((await answer).structuredContent).toMatchObject({ exit_code: 0 });
      expect(fs.existsSync(mark)).toBe(true);
      await onScreen(0);
      expect((await recorded(hostler)).map(({ agreed, decision }) => [agreed, decision])).toEqual([
        ['screen', 'started'],
        ['screen', 'done'],
      ]);
      await client.close();
    });

    test.each([
      ['Deny', () => dunst.press('Deny')],
      ['closing it', async () => dunst.close()],
      ['the end of the wait of its client', null],
    ])('%s prevents the call, whatever the client says', async (_name, act) => {
      const client = await selfApproving(hostler, mode);
      const control = new AbortController();
      const answer = run(client, 'mark', control.signal);
      await onScreen();
      if (act === null) control.abort();
      else await act();
      const result = await answer;
      if (act !== null) expect(textOf(result)).toContain('did not allow run_command');
      expect(result.isError).toBe(true);
      await onScreen(0);
      expect(fs.existsSync(mark)).toBe(false);
      await until(async () => (await recorded(hostler)).length === 1, 'it is recorded');
      expect((await recorded(hostler))[0]?.agreed).toBe('nobody');
      await client.close();
    });
  });

  test('the permission prompt shows what will run', async () => {
    const client = await connectTo(hostler, { mode: 'auto', over: 'http' });
    const answer = run(client, 'other');
    await onScreen();
    await dunst.press('Deny');
    await answer;
    expect(prompts().at(-1)).toEqual({
      appname: 'Hostler permission',
      summary: '"main" asks for run_command',
      body: `An agent wants to run the command "other":\n/usr/bin/touch ${other} -- "&lt;b&gt;a b&lt;/b&gt;"`,
    });
  });

  test('an Allow in the first second does not count, however late it arrives, and the prompt is shown again', async () => {
    const client = await connectTo(hostler, { mode: 'auto', over: 'http' });
    for (let tries = 0; ; tries++) {
      expect(tries).toBeLessThan(30);
      const before = prompts().length;
      const begun = performance.now();
      const answer = run(client);
      await onScreen();
      // It cannot mistake an early press for a later one.
      process.kill(hostler.pid, 'SIGSTOP');
      const early = performance.now() - begun < 1000;
      if (early) {
        await dunst.press('Allow');
        // Enough time for the signal on the bus.
        await Bun.sleep(2000);
      }
      process.kill(hostler.pid, 'SIGCONT');
      if (early) {
        await onScreen();
        expect(fs.existsSync(mark)).toBe(false);
      }
      await allow(answer);
      expect((await answer).structuredContent).toMatchObject({ exit_code: 0 });
      fs.rmSync(mark, { force: true });
      // If the machine was too slow, try once more.
      if (!early) continue;
      const [first, second] = prompts()
        .slice(before)
        .map(({ body }) => body);
      expect(first).not.toContain('did not count');
      expect(second).toContain('did not count');
      return;
    }
  });

  test('an Allow for a withdrawn prompt never counts for the prompt that replaced it', async () => {
    const harmless = await connectTo(hostler, { mode: 'auto', over: 'http', token: await tokenOf(hostler, 'one') });
    const harmful = await connectTo(hostler, { mode: 'auto', over: 'http', token: await tokenOf(hostler, 'two') });
    const control = new AbortController();
    const first = run(harmless, 'mark', control.signal);
    await onScreen();
    await Bun.sleep(1500);
    const press = await dunst.openMenu();
    control.abort();
    await first;
    // The same agent has to wait, another one only until the first prompt is closed.
    expect(textOf(await run(harmless, 'other'))).toMatch(/still being asked|grows each time/);
    const second = await shownFor(harmful, 'other');
    await Bun.sleep(1500);
    press('Allow');
    await Bun.sleep(1500);
    expect([fs.existsSync(mark), fs.existsSync(other)]).toEqual([false, false]);
    expect(dunst.shown()).toBe(1);
    await dunst.press('Deny');
    expect(textOf(await second.answer)).toContain('did not allow run_command');
  });

  test('a flood of requests is one prompt', async () => {
    const client = await connectTo(hostler, { mode: 'auto', over: 'http' });
    const before = prompts().length;
    const begun = performance.now();
    for (let tries = 0; tries < 49; tries++) {
      const control = new AbortController();
      const answer = run(client, 'mark', control.signal);
      await Bun.sleep(160);
      control.abort();
      await answer;
    }
    const seconds = (performance.now() - begun) / 1000;
    await onScreen(0);
    // The next one after 10 s, and then 20, on a machine where this takes that long.
    const most = 1 + Math.floor(Math.log2(seconds / 10 + 1));
    // None, if even the first was withdrawn before it could be shown.
    expect(prompts().length - before).toBeLessThanOrEqual(most);
    expect(textOf(await run(client))).toMatch(/grows each time.*Try again in \d+ s/);
    expect(fs.existsSync(mark)).toBe(false);
  });

  test('a notification from an agent cannot imitate a permission prompt', async () => {
    const client = await connectTo(hostler, { mode: 'auto', over: 'http', token: await tokenOf(hostler, 'helper') });
    const imitation = {
      title: '\u202e"main" asks for run_command',
      message: 'An agent wants to run the command "mark":\n/usr/bin/touch x',
    };
    const send = (given: object) =>
      client.callTool({ name: 'send_notification', arguments: { ...imitation, ...given } });
    expect(textOf(await send({ actions: ['Allow', 'Deny'] }))).toContain('cannot be labelled Allow or Deny');
    await Bun.sleep(2100);
    const sent = send({ actions: ['Continue'] });
    await onScreen();
    await dunst.press('Reply: Continue');
    expect((await sent).structuredContent).toEqual({ shown: true, pressed: 'Continue' });
    expect(dunst.history().at(-1)).toEqual({
      appname: 'Hostler agent',
      summary: 'Agent "helper": "main" asks for run_command',
      body: imitation.message,
    });
  });

  test.each(modes)(
    'a silent notification server and an unknown display are no reason to trust the client, %j',
    async (mode) => {
      const { DISPLAY: _unknown, ...known } = dunst.variables;
      const blind = await start(known);
      try {
        dunst.freeze();
        const client = await selfApproving(blind, mode);
        const answer = run(client);
        const silent = 'is not on the screen: the notification server of the desktop does not answer';
        await until(() => blind.output().includes(silent), 'the log says so');
        await deny(blind);
        expect(textOf(await answer)).toContain('did not allow run_command');
        expect(fs.existsSync(mark)).toBe(false);
        expect(await recorded(blind)).toMatchObject([{ tool: 'run_command', agreed: 'nobody' }]);
      } finally {
        dunst.thaw();
        await blind.stop();
      }
      await onScreen(0);
    },
  );

  test('a prompt withdrawn while the server is silent is closed when it answers again', async () => {
    const client = await connectTo(hostler, { mode: 'auto', over: 'http' });
    const control = new AbortController();
    const answer = run(client, 'mark', control.signal);
    await onScreen();
    dunst.freeze();
    control.abort();
    expect((await answer).isError).toBe(true);
    dunst.thaw();
    await onScreen(0);
    expect(fs.existsSync(mark)).toBe(false);
  });
});

describe('consent without a desktop', () => {
  test.each(modes)('a client that claims to ask its user approves nothing, %j', async (mode) => {
    const hostler = await start({});
    try {
      const client = await selfApproving(hostler, mode);
      const answer = run(client);
      await deny(hostler);
      const result = await answer;
      expect(result.isError).toBe(true);
      expect(textOf(result)).toContain('did not allow run_command');
      expect(fs.existsSync(mark)).toBe(false);
      expect(await recorded(hostler)).toMatchObject([{ tool: 'run_command', agreed: 'nobody' }]);
      const { stdout } = await runHostler(['mcp', 'log'], { directory: hostler.directory });
      expect(stdout).toMatch(/AGREED.*OUTCOME\n.*run_command.* denied by the command line /);
    } finally {
      await hostler.stop();
    }
  });

  test.each(modes)('with mcp.trustClientConfirmation it does, and the audit log says so, %j', async (mode) => {
    const hostler = await start({}, { trustClientConfirmation: true });
    try {
      const result = await run(await selfApproving(hostler, mode));
      expect(result.structuredContent).toMatchObject({ exit_code: 0 });
      expect(fs.existsSync(mark)).toBe(true);
      expect((await recorded(hostler)).at(-1)).toMatchObject({ decision: 'done', agreed: 'client' });
    } finally {
      await hostler.stop();
    }
  });
});
