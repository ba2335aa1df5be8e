// tier: full
import { expect, setDefaultTimeout, test } from 'bun:test';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { nodeRed } from '../harness/npm-tools.ts';
import { startNtfy } from '../harness/ntfy.ts';
import { adapted, recipeBlocks } from '../harness/recipes.ts';
import { createToken, startHostler, until } from '../harness/service.ts';

setDefaultTimeout(600_000);

const tools = nodeRed();

test.skipIf(tools === null)(
  'Node-RED runs the flow: one message when the value is too high, one when it is normal',
  async () => {
    if (tools === null) return;
    using ntfy = startNtfy('tk_secret');
    await using hostler = await startHostler();
    const token = await createToken(hostler, 'node-red', 'read');
    const state = { polls: 0, isReplaced: false, statuses: new Set<number>() };
    // Hostler behind a relay, which counts the requests and replaces the value at the end.
    using relay = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      async fetch(request) {
        const { pathname, search } = new URL(request.url);
        const answer = await fetch(`${hostler.base}${pathname}${search}`, { headers: request.headers });
        state.polls += 1;
        state.statuses.add(answer.status);
        return state.isReplaced
          ? Response.json({ virtual: { percent: 0 } })
          : Response.json(await answer.json(), answer);
      },
    });
    const folder = path.join(hostler.directory, 'node-red');
    fs.mkdirSync(folder);
    const [flow = ''] = recipeBlocks('node-red', 'json');
    const changes = {
      'my-pc:9170': `127.0.0.1:${relay.port}`,
      'https://ntfy.example': `http://127.0.0.1:${ntfy.port}`,
      'percent > 90': 'percent > 0',
      '"repeat": "15"': '"repeat": "0.3"',
    };
    fs.writeFileSync(path.join(folder, 'flow.json'), adapted(flow, changes));
    const settings = { uiHost: '127.0.0.1', uiPort: 0, telemetry: { enabled: false, updateNotification: false } };
    fs.writeFileSync(path.join(folder, 'settings.js'), `module.exports = ${JSON.stringify(settings)};`);
    const args = [tools.program, '--userDir', folder, '--settings', path.join(folder, 'settings.js')];
    const child = spawn(tools.node, [...args, path.join(folder, 'flow.json')], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: folder, HOSTLER_TOKEN: token, NTFY_TOKEN: 'tk_secret' },
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        said += chunk;
      });
    const message = (count: number) =>
      until(() => {
        if (child.exitCode !== null) throw new Error(`Node-RED ended: ${said}`);
        return ntfy.messages[count - 1] ?? null;
      }, 120_000).catch((error) => {
        throw new Error(`${error}: ${said}`);
      });
    try {
      expect(await message(1)).toMatchObject({
        topic: 'my-pc',
        priority: 4,
        message: expect.stringMatching(/^Memory is at [1-9][\d.]* %$/),
      });
      const before = state.polls;
      await until(() => (state.polls >= before + 5 ? true : null));
      // The value is still too high: nothing new.
      expect(ntfy.messages).toHaveLength(1);
      state.isReplaced = true;
      expect(await message(2)).toMatchObject({ priority: 3, message: 'Memory is at 0 %' });
      expect([...state.statuses]).toEqual([200]);
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
  },
);
