import { expect, test } from 'bun:test';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { collectReasons } from '../../../../test/harness/machines.ts';
import { parseHosts, parseSearchDomain, readFqdn, readPlatform } from './system.names.ts';

test.each<[string, string | null]>([
  ['127.0.1.1\tbox.example.org\tbox\n', 'box.example.org'],
  ['127.0.1.1 box\n192.0.2.1 box other.example.org # canonical\n', 'other.example.org'],
  ['127.0.0.1 localhost localhost.localdomain box\n', null],
  ['# 127.0.1.1 box.example.org box\n', null],
  ['192.0.2.1 boxer.example.org boxer\n', null],
  ['127.0.1.1 BOX.Example.org Box\n', 'box.example.org'],
  ['', null],
])('the host name of the hosts file %j', (text, name) => {
  expect(parseHosts(text, 'box')).toBe(name);
});

test.each([
  ['search lan.example other.example\nnameserver 192.0.2.1\n', 'lan.example'],
  ['domain a.example\nsearch b.example.\n', 'b.example'],
  ['nameserver 192.0.2.1\nsearch .\n', ''],
  ['# search lan.example\n', ''],
])('the search domain of the resolver settings %j', (text, domain) => {
  expect(parseSearchDomain(text)).toBe(domain);
});

test.each<[string, string, Record<string, string>, string, number]>([
  ['a name with a domain stands', 'box.example.org', {}, 'box.example.org', 0],
  ['the domain of the kernel', 'box', { '/proc/sys/kernel/domainname': 'nis.example\n' }, 'box.nis.example', 0],
  [
    'no domain of the kernel',
    'box',
    { '/proc/sys/kernel/domainname': '(none)\n', '/etc/resolv.conf': 'search lan\n' },
    'box.lan',
    0,
  ],
  ['nothing at all', 'box', {}, 'box', 1],
])('the fully qualified name: %s', (_case, hostname, contents, fqdn, reasonCount) => {
  const { reasons, collected } = collectReasons();
  expect(readFqdn(hostname, machineFiles(contents), reasons)).toBe(fqdn);
  expect(collected).toHaveLength(reasonCount);
});

test.each<[string, string, string, boolean | null]>([
  ['NAME="Fedora Linux"\nVERSION="39 (Server Edition)"\nVERSION_ID=39\n', 'Fedora Linux', '39 (Server Edition)', null],
  ['NAME="Alpine Linux"\nVERSION_ID=3.20.1\n', 'Alpine Linux', '3.20.1', null],
  ['NAME="Arch Linux"\nBUILD_ID=rolling\n', 'Arch Linux', 'rolling', null],
  ['NAME=void\n', 'void', '', false],
  ['', 'Linux', '', true],
])('the platform named by os-release %j', (text, platform, version, mendable) => {
  const { reasons, collected } = collectReasons();
  const names = readPlatform(machineFiles({ '/usr/lib/os-release': text }), reasons);
  expect(names).toEqual({ platform, platform_version: version });
  expect(collected.map((reason) => reason.mendable)).toEqual(mendable === null ? [] : [mendable]);
});
