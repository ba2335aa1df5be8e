// tier: full
import { describe, expect, onTestFinished, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runHostler, startHostler, until } from '../harness/service.ts';

/** A replacement for /etc, owned by the user who runs the tests. */
function etc(): { root: string; tokens: string } {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-etc-'));
  onTestFinished(() => fs.rmSync(root, { recursive: true, force: true }));
  const tokens = path.join(root, 'hostler', 'tokens.d');
  fs.mkdirSync(tokens, { recursive: true, mode: 0o755 });
  return { root, tokens };
}

const isRoot = process.getuid?.() === 0;

describe('a provisioned token', () => {
  test('by hash admits the owner of its secret, while its file exists and only root can change it', async () => {
    const { root, tokens } = etc();
    const made = await runHostler(['token', 'hash', '--name', 'prometheus', '--scope', 'read']);
    expect(made.code).toBe(0);
    const secret = made.stderr.split('\n')[1]?.trim() ?? '';
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(made.stdout).not.toContain(secret);
    const file = path.join(tokens, 'prometheus.json');
    fs.writeFileSync(file, made.stdout, { mode: 0o644 });

    await using hostler = await startHostler({ env: { HOSTLER_ETC: root } });
    const status = async (route: string) => (await hostler.get(route, { Authorization: `Bearer ${secret}` })).status;
    if (!isRoot) {
      // It belongs to an ordinary user, so it admits no client.
      expect(await status('/metrics')).toBe(401);
      return;
    }
    expect(await status('/metrics')).toBe(200);
    const order = { method: 'POST', headers: { Authorization: `Bearer ${secret}` } };
    expect((await fetch(`${hostler.base}/api/power/lock`, order)).status).toBe(403);
    fs.chmodSync(file, 0o666);
    await until(async () => ((await status('/metrics')) === 401 ? true : null));
    fs.chmodSync(file, 0o644);
    await until(async () => ((await status('/metrics')) === 200 ? true : null));
    fs.rmSync(file);
    await until(async () => ((await status('/metrics')) === 401 ? true : null));
  });

  test('can have an existing secret, unless it could be guessed', async () => {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-secret-'));
    onTestFinished(() => fs.rmSync(directory, { recursive: true, force: true }));
    const file = path.join(directory, 'secret');
    const hash = () => runHostler(['token', 'hash', '--name', 'x', '--scope', 'read', '--secret-file', file]);
    fs.writeFileSync(file, 'hunter2\n');
    expect((await hash()).stderr).toContain('at least 32 characters');
    fs.writeFileSync(file, `${'a'.repeat(40)}\n`);
    const { stdout, stderr } = await hash();
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'x',
      scopes: ['read'],
      sha256: new Bun.CryptoHasher('sha256').update('a'.repeat(40)).digest('hex'),
    });
    expect(stderr).not.toContain('aaaa');
  });
});
