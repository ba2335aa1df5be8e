import { afterEach, beforeEach, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fakeHost } from '../../../../test/doubles/fake-host.ts';
import { makeSystemUser, removeSystemUser } from './system-user.ts';

let root: string;
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-accounts-'));
});
afterEach(() => fs.rmSync(root, { recursive: true }));

function machine(home: string) {
  fs.mkdirSync(path.join(root, 'etc/sysusers.d'), { recursive: true });
  fs.writeFileSync(path.join(root, 'etc/passwd'), `root:x:0:0::/root:/bin/sh\nhostler:x:1000:1000::${home}:/bin/sh\n`);
  const ran: string[] = [];
  const run = async (program: string) => {
    ran.push(program);
    return { exitCode: 0, stdout: '', stderr: '' };
  };
  const host = { ...fakeHost(), run, launch: { find: (name: string) => name } } as never;
  return { host, ran };
}

test('the account of a person that has its name is neither used nor removed', async () => {
  const { host, ran } = machine('/home/hostler');
  await expect(makeSystemUser(host, root)).rejects.toThrow('its home directory is /home/hostler, not /var/lib/hostler');
  fs.writeFileSync(path.join(root, 'etc/sysusers.d/hostler.conf'), '');
  expect(await removeSystemUser(host, root)).toEqual([]);
  expect(ran).toEqual([]);
});

test('the account of the service is used, and removed if this program created it', async () => {
  const { host, ran } = machine('/var/lib/hostler');
  expect(await makeSystemUser(host, root)).toEqual([]);
  expect(await removeSystemUser(host, root)).toEqual([]);
  fs.writeFileSync(path.join(root, 'etc/sysusers.d/hostler.conf'), '');
  expect(await removeSystemUser(host, root)).toEqual(['The account hostler was removed']);
  expect(ran).toEqual(['userdel']);
});
