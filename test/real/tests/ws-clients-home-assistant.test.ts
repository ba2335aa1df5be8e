// tier: full
import { describe, expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { strictDirectories, strictFile, strictFiles, strictModules } from '../../doubles/peers/system-bridge/strict.ts';
import { needs } from '../harness/parts.ts';
import { root, startHostler } from '../harness/service.ts';
import { nine, prepare, wrongIn } from '../harness/ws-clients.ts';

/** Debian's Python has Debian's aiohttp; the one on the PATH may be another. */
const python = '/usr/bin/python3';

describe.skipIf(!hasAiohttp())('Home Assistant, with its own connection library', () => {
  test('works from the first probe to a reconnect', async () => {
    await using fresh = await startHostler({ prepare });
    const file = '1+1=100%25.mp3';
    fs.writeFileSync(path.join(fresh.directory, 'home', 'Music', file), 'la la');
    const { code, stdout, stderr } = await run(python, [
      path.join(root, 'test', 'doubles', 'peers', 'system-bridge', 'peer.py'),
      '127.0.0.1',
      String(fresh.port),
      fresh.token,
      'echo',
      'music',
      file,
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const seen = JSON.parse(stdout) as Record<string, unknown> & { modules: Record<string, unknown> };
    console.log(`nine modules over aiohttp: ${seen.nine_ms} ms; after a reconnect: ${seen.again_ms} ms`);
    expect(seen).toMatchObject({
      information: 404,
      wrong_token: 401,
      registered: { modules: nine },
      media: [200, 'la la'],
      command: { commandID: 'echo', exitCode: 0, stdout: 'hello there\n', stderr: '' },
      answered: true,
    });
    for (const name of nine) expect([name, wrongIn(strictModules[name], seen.modules[name])]).toEqual([name, []]);
    expect(wrongIn(strictFiles, seen.files)).toEqual([]);
    expect(wrongIn(strictFile, seen.file)).toEqual([]);
    expect(wrongIn(strictDirectories, seen.directories)).toEqual([]);
    await fresh.stop();
  });
});

function hasAiohttp(): boolean {
  const library = '/usr/lib/python3/dist-packages/aiohttp';
  if (needs(python) && fs.existsSync(library)) return true;
  if (process.env.CI === 'true')
    throw new Error(`${library} is missing: with CI=true every real part has to be there.`);
  console.warn('skipped: python3-aiohttp is not installed');
  return false;
}

function run(program: string, args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent' },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}
