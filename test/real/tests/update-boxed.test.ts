import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { tar } from '../../../scripts/package/archives.ts';
import { releaseList } from '../../../scripts/package/sign.ts';
import { bootBox, canBoot, type PrivateBox } from '../harness/box.ts';
import { succeed } from '../harness/boxed-service.ts';
import { buildVersion } from '../harness/other-version.ts';
import { architecture } from '../harness/packages.ts';
import { until } from '../harness/service.ts';

setDefaultTimeout(900_000);

const program = '/opt/own/hostler';
const [first, second, third] = ['6.90.0', '6.91.0', '6.92.0'] as const;

/** Starts, says its version, and never serves. */
const silent = `#!/bin/sh\n[ "$1" = version ] && echo '{"version": "${third}"}' && exit\nexec sleep 600\n`;

/** The built program replaces itself under a real systemd; releases come from a server in the box. */
describe.skipIf(!canBoot('node', 'python3', 'systemctl', 'useradd', 'loginctl'))('an update', () => {
  let box: PrivateBox;
  let scratch: string;
  let keyFile: string;
  beforeAll(async () => {
    scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-update-'));
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    keyFile = path.join(scratch, 'key.pem');
    fs.writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    const key = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const [installed, newer] = [first, second].map((version) => buildVersion(version, key, scratch));
    fs.mkdirSync(path.join(scratch, 'releases'));
    publish(second, fs.readFileSync(newer ?? ''));
    box = await bootBox({
      binds: [
        [installed ?? '', '/opt/installed'],
        [path.join(scratch, 'releases'), '/opt/releases'],
      ],
    });
    await succeed(box, ['install', '-D', '-m', '755', '/opt/installed', program]);
    const server = ['/usr/bin/env', 'python3', '-m', 'http.server', '--bind', '127.0.0.1', '8123'];
    await succeed(box, ['systemd-run', '--quiet', '--working-directory=/opt/releases', ...server]);
  });
  afterAll(async () => {
    await box?.remove();
    fs.rmSync(scratch, { recursive: true, force: true });
  });

  /** Puts a release beside its list, in place of the one before. */
  function publish(version: string, data: Uint8Array, change = (bytes: Uint8Array) => bytes): void {
    const top = `hostler-${version}-linux-${architecture}`;
    const entries = [{ path: `${top}/bin/hostler`, mode: 0o755, data }];
    const archive = new Uint8Array(zlib.gzipSync(tar(entries, { time: 0 }), { level: 1 }));
    const time = Date.now() / 1000;
    const list = releaseList({ [`${top}.tar.gz`]: archive }, { version, page: null, time, key: keyFile });
    fs.writeFileSync(path.join(scratch, 'releases', `${top}.tar.gz`), change(archive));
    fs.writeFileSync(path.join(scratch, 'releases', 'releases.json'), list);
  }

  const address = 'http://127.0.0.1:8123/releases.json';
  const update = (...flags: string[]) => box.run([program, 'update', '--from', address, ...flags]);
  const status = async () =>
    (await succeed(box, ['systemctl', 'show', 'hostler', '--property=StatusText', '--value'])).trim();
  const version = async (file = program) => JSON.parse(await succeed(box, [file, 'version', '--json'])).version;

  test('is found, installed and restarted into, and the service answers as the new version', async () => {
    await succeed(box, [program, 'service', 'install', '--system']);
    expect(await status()).toStartWith(`Hostler ${first} on `);
    await until(async () =>
      (await box.run([program, 'update', '--check', '--from', address])).code === 0 ? true : null,
    );
    expect(JSON.parse((await update('--check', '--json')).stdout)).toMatchObject({ installed: first, newer: second });
    const { code, stdout, stderr } = await update();
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`The service of the machine was restarted and answers as ${second}`);
    expect(await status()).toStartWith(`Hostler ${second} on `);
    expect([await version(), await version(`${program}.previous`)]).toEqual([second, first]);
    expect((await succeed(box, ['ls', '/opt/own'])).trim().split('\n')).toEqual(['hostler', 'hostler.previous']);
    expect((await update()).stdout.trim()).toBe(`Hostler ${second} is the latest release`);
  });

  test('that was changed on its way is refused, and the service goes on', async () => {
    publish(third, new TextEncoder().encode(silent), (bytes) => bytes.map((byte, at) => (at === 40 ? byte ^ 1 : byte)));
    const { code, stderr } = await update();
    expect(code).toBe(1);
    expect(stderr).toContain('it is not the file in the release list');
    expect(await version()).toBe(second);
    expect(await status()).toStartWith(`Hostler ${second} on `);
  });

  test('that does not answer within 30 s is taken back, and the old version answers again', async () => {
    publish(third, new TextEncoder().encode(silent));
    const { code, stderr } = await update();
    expect(code).toBe(1);
    expect(stderr).toContain(`did not come up as ${third}`);
    expect(stderr).toContain(`${second} was put back, and answers again`);
    expect(await version()).toBe(second);
    expect(await status()).toStartWith(`Hostler ${second} on `);
  });

  test('on a disk that fills up in the middle changes nothing, and leaves nothing', async () => {
    publish('6.93.0', fs.readFileSync(path.join(scratch, `hostler-${second}`)));
    const size = Math.ceil(fs.statSync(path.join(scratch, `hostler-${second}`)).size / 2 ** 20);
    await succeed(box, ['mkdir', '/opt/small']);
    await succeed(box, [
      'mount',
      '-t',
      'tmpfs',
      '-o',
      `size=${Math.round(size * 1.8)}m,mode=755`,
      'small',
      '/opt/small',
    ]);
    await succeed(box, ['cp', program, '/opt/small/hostler']);
    const { code, stderr } = await box.run(['/opt/small/hostler', 'update', '--from', address]);
    expect(code).toBe(1);
    expect(stderr).toContain('the disk with /opt/small is full. Nothing was changed');
    expect((await succeed(box, ['ls', '/opt/small'])).trim()).toBe('hostler');
    expect(await version('/opt/small/hostler')).toBe(second);
  });

  test('where the program cannot be written says what to do', async () => {
    const nobody = { uid: 65_534, gid: 65_534 };
    const env = { HOME: '/tmp/nobody', SERVICE_STATE_DIR: '/tmp/nobody/s', SERVICE_CONFIG_DIR: '/tmp/nobody/c' };
    const { code, stderr } = await box.run([program, 'update', '--from', address], { user: nobody, env });
    expect(code).toBe(1);
    expect(stderr).toContain('/opt/own cannot be written by this user');
    expect(stderr).toContain(`sudo hostler update --from ${address}`);
  });

  test('of a user, below the home, restarts the service of that user and asks it which version it is', async () => {
    await succeed(box, ['systemctl', 'stop', 'hostler']);
    await succeed(box, ['useradd', '--create-home', '--shell', '/bin/sh', 'alice']);
    const uid = Number(await succeed(box, ['id', '-u', 'alice']));
    await succeed(box, ['loginctl', 'enable-linger', 'alice']);
    await until(() => (fs.existsSync(box.path(`/run/user/${uid}/bus`)) ? true : null));
    const as = { user: { uid, gid: uid }, env: { HOME: '/home/alice', XDG_RUNTIME_DIR: `/run/user/${uid}` } };
    const own = '/home/alice/.local/bin/hostler';
    await succeed(box, ['install', '-D', '-m', '755', '/opt/installed', own], as);
    publish(second, fs.readFileSync(path.join(scratch, `hostler-${second}`)));
    await succeed(box, [own, 'service', 'install'], as);
    const { code, stdout, stderr } = await box.run([own, 'update', '--from', address], as);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Your service was restarted and answers as ${second}`);
    expect(JSON.parse(await succeed(box, [own, 'status', '--json'], as)).version).toBe(second);
  });
});
