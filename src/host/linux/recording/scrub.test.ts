import { expect, test } from 'bun:test';
import { createScrubber } from './scrub.ts';

const identity = {
  hostname: 'machine',
  home: '/home/tester',
  userName: 'tester',
  accounts: '',
  searchDomains: [],
  files: new Map<string, Buffer>(),
};

test('names and addresses of Bluetooth devices are replaced', () => {
  const { answer } = createScrubber(identity);
  const device = { Address: '38:18:4C:12:34:56', Name: 'Anna’s phone', Alias: 'Anna’s phone', Paired: true };
  const text = JSON.stringify(answer({ '/org/bluez/hci0/dev_38_18_4C_12_34_56': { 'org.bluez.Device1': device } }));
  expect(text).not.toMatch(/Anna|38[:_]18/);
  expect(text).toContain('"Paired":true');
});

test('names of connections are replaced; other properties named Id are unchanged', () => {
  const { answer } = createScrubber(identity);
  const active = { Id: 'Secret Employer', Uuid: 'aaaa-bbbb', Type: 'vpn', State: 2, SpecificObject: '/' };
  const text = JSON.stringify(answer([active]));
  expect(text).not.toMatch(/Secret|aaaa/);
  expect(text).toContain('"Type":"vpn"');
  expect(answer({ Id: 'c1', Class: 'user' })).toEqual({ Id: 'c1', Class: 'user' });
});

test('of /etc/hosts only this machine and localhost stay, and the domain of this machine is replaced', () => {
  const hosts = [
    '127.0.0.1 localhost localhost.localdomain',
    '127.0.1.1 Machine.alice-miller.example machine alice-alias # at home',
    '::1 localhost ip6-localhost ip6-loopback',
    '192.168.1.9 nas.alice-miller.example nas',
    '10.8.0.1 secret-employer',
  ].join('\n');
  const files = new Map([['/etc/hosts', Buffer.from(hosts)]]);
  const { file } = createScrubber({ ...identity, hostname: 'machine', files });
  expect(file('/etc/hosts', Buffer.from(hosts)).toString()).toBe(
    '127.0.0.1 localhost localhost.localdomain\n127.0.1.1 machine.domain1.example machine\n::1 localhost ip6-localhost\n',
  );
});

test.each([
  ['alice-miller.example\n', 'domain1.example\n'],
  ['(none)\n', '(none)\n'],
])('the domain of the kernel %j becomes %j', (given, expected) => {
  const place = '/proc/sys/kernel/domainname';
  const bytes = Buffer.from(given);
  const { file } = createScrubber({ ...identity, userName: 'alice', files: new Map([[place, bytes]]) });
  expect(file(place, bytes).toString()).toBe(expected);
});

test.each([
  ['/', '/'],
  ['/home/tester', '/home/user1'],
  ['/home/tester/Divorce', '/directory1'],
  ['/srv/customers/miller', '/directory1'],
])('the working directory %s becomes %s', (target, expected) => {
  const { link } = createScrubber(identity);
  expect(link('/proc/12/cwd', target)).toBe(expected);
  expect(link('/proc/12/exe', '/usr/bin/x')).toBe('/usr/bin/x');
});

test('directories of users are replaced, wherever their home directories are', () => {
  const accounts = ['ada:x:1000:1000::/data/people/lovelace:/bin/sh', 'www:x:33:33::/var/www:/bin/false'].join('\n');
  const { text } = createScrubber({ ...identity, home: '/srv/people/tester', accounts });
  expect(text('/srv/people/tester/Divorce/run /data/people/lovelace/Secret/run /var/www/html/run www')).toMatch(
    /^\/srv\/people\/user\d\/run \/data\/people\/user\d\/run \/var\/www\/html\/run www$/,
  );
});

test.each([
  ['nfs4 nas.alice.example:/export/private rw', 'nfs4 server:/share rw'],
  ['fuse https://cloud.acme.example/dav/jane.doe/ rw,user_id=0', 'fuse server:/share rw,user_id=0'],
  ['davfs https://cloud.acme.example/dav rw', 'davfs server:/share rw'],
  ['lustre mgs.acme.example@tcp:/work rw', 'lustre server:/share rw'],
  ['fuse.sshfs jane@acme.example: rw', 'fuse.sshfs server:/share rw'],
  ['cifs //nas/jane rw,username=jdoe,domain=ACME,uid=0', 'cifs server:/share rw,username=-,domain=-,uid=0'],
  ['ext4 /dev/disk/by-path/pci-0000:00 rw', 'ext4 /dev/disk/by-path/pci-0000:00 rw'],
  ['cgroup cgroup rw,name=systemd', 'cgroup cgroup rw,name=systemd'],
  ['zfs rpool/ROOT/debian rw', 'zfs rpool/ROOT/debian rw'],
])('of the mount %j a recording has %j', (mount, expected) => {
  const { file } = createScrubber(identity);
  const line = (end: string) => `36 35 0:44 / /mnt rw,relatime shared:1 - ${end}\n`;
  expect(file('/proc/self/mountinfo', Buffer.from(line(mount))).toString()).toBe(line(expected));
});
