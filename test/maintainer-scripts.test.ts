// Not on Windows: these are shell scripts of Debian packages.
import { afterAll, describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const postrm = path.join(import.meta.dirname, '../deploy/package/debian/postrm');
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-postrm-'));
afterAll(() => fs.rmSync(scratch, { recursive: true }));

/** Runs it with a PATH that holds only these stand-ins, so that this machine is not touched. Returns the commands it ran. */
function purge(account: string): string[] {
  const bin = fs.mkdtempSync(path.join(scratch, 'bin-'));
  const ran = path.join(bin, 'ran');
  const stub = (name: string, rest = '') =>
    fs.writeFileSync(path.join(bin, name), `#!/bin/sh\necho "${name} $*" >> ${ran}\n${rest}`, { mode: 0o755 });
  for (const name of ['rm', 'systemctl', 'userdel']) stub(name);
  stub('getent', account === '' ? 'exit 2' : `echo '${account}'`);
  fs.symlinkSync(fs.existsSync('/usr/bin/cut') ? '/usr/bin/cut' : '/bin/cut', path.join(bin, 'cut'));
  const { status, stderr } = spawnSync('/bin/sh', [postrm, 'purge'], { env: { PATH: bin }, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return fs.readFileSync(ran, 'utf8').trim().split('\n');
}

describe.skipIf(!fs.existsSync('/bin/sh'))('purging the Debian package', () => {
  test('removes the account that the package created', () => {
    expect(purge('hostler:x:998:998:Hostler:/var/lib/hostler:/usr/sbin/nologin')).toContain('userdel hostler');
  });

  test.each([
    ['of a person with the same name', 'hostler:x:1000:1000:Hal Hostler:/home/hostler:/bin/bash'],
    ['that does not exist', ''],
  ])('removes no account %s', (_whose, account) => {
    expect(purge(account)).not.toContain('userdel hostler');
  });

  test('removes the state directory, and no target of a link in it', () => {
    const [removed] = purge('').filter((line) => line.startsWith('rm '));
    expect(removed).toBe('rm -rf /var/lib/hostler /etc/systemd/system/multi-user.target.wants/hostler.service');
  });
});
