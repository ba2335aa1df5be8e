import { expect, test } from 'bun:test';
import { createTextScrubber } from './scrub-text.ts';

const scrubber = (homes: string[] = []) =>
  createTextScrubber({
    hostname: 'alices-laptop.home.lan',
    people: ['alice', 'al', 'jürgen'],
    homes,
    searchDomains: ['corp.example.com'],
    serials: ['PF2ABC19'],
  });

test('names are replaced wherever they are whole words, by the same placeholder each time', () => {
  const { text } = scrubber();
  expect(text('alice logged in at alices-laptop; /home/alice is hers, malice is not')).toBe(
    'user1 logged in at machine; /home/user1 is hers, malice is not',
  );
  expect(text('alice@alices-laptop.home.lan, alice')).toBe('user1@machine2, user1');
  expect(text('jürgen, Jürgens')).toBe('user2, Jürgens');
  expect(text('db1.corp.example.com PF2ABC19')).toBe('db1.domain1.example SERIAL-1');
});

test('short names are replaced as well, where they are whole words and no numbers', () => {
  const short = (hostname: string) =>
    createTextScrubber({ hostname, people: ['x'], homes: [], searchDomains: ['de'], serials: [] }).text;
  expect(short('pc')('pc, x@pc.de, pcie, x86, decade')).toBe(
    'machine, user1@machine.domain1.example, pcie, x86, decade',
  );
  expect(short('7')('7 of 7')).toBe('7 of 7');
  expect(short('localhost')('localhost')).toBe('localhost');
});

test('addresses become addresses of the same kind, and unassigned ones stay', () => {
  const { text } = scrubber();
  expect(text('192.168.1.7 via 192.168.1.1, dns 9.9.9.9, 127.0.0.1, 0.0.0.0/0, 255.255.255.0')).toBe(
    '10.0.0.1 via 10.0.0.2, dns 198.51.0.3, 127.0.0.1, 0.0.0.0/0, 255.255.255.0',
  );
  expect(text('fe80::1c2d:3eff:fe4f:5a6b%eth0 2a02:8109::1 ::1')).toBe('fe80::1%eth0 2001:db8::2 ::1');
  expect(text('3c:7c:3f:00:11:22 dev_3C_7C_3F_00_11_22 enx3c7c3f001122 00:00:00:00:00:00')).toBe(
    '02:00:00:00:00:01 dev_02_00_00_00_00_01 enx020000000001 00:00:00:00:00:00',
  );
});

test('an address at the end of a clause is replaced as well', () => {
  const { text } = scrubber();
  expect(text('2a02:8109::1: no route, from 2a02:8109::2. The net is 2a02:8109::')).toBe(
    '2001:db8::1: no route, from 2001:db8::2. The net is 2001:db8::3',
  );
});

test.each([':', 'a:', 'aaa:', '1.2.3.4'])(
  'thousands of "%s" are not an address, and are examined in linear time',
  (one) => {
    const { text } = scrubber();
    const long = `${one.repeat(40_000)}z`;
    expect(text(long)).toBe(long);
  },
);

test('times, versions and slots of cards are not taken for addresses', () => {
  const { text } = scrubber();
  for (const harmless of ['17:39:10', '0000:00:1f.3', '6.1.0-13-amd64', 'usb 1-1.2:1.0', '10:00', 'a::b::c'])
    expect(text(harmless)).toBe(harmless);
});

test('tables of the kernel keep their format', () => {
  const { kernelTable } = scrubber();
  const line = '   0: 0701A8C0:1F90 0100007F:0050 01 00000000:00000000';
  expect(kernelTable(line)).toBe('   0: 0100000A:1F90 0100007F:0050 01 00000000:00000000');
  const six = '   1: 00000000000000000000000001000000:1F90 B80D01200000000000000000DC000000:0050 0A';
  expect(kernelTable(six)).toBe('   1: 00000000000000000000000001000000:1F90 B80D0120000000000000000001000000:0050 0A');
  expect(kernelTable('   2: 0000000000000000FFFF00000701A8C0:1F90 00')).toBe(
    '   2: 0000000000000000FFFF00000100000A:1F90 00',
  );
  expect(kernelTable('fe800000000000001c2d3efffe4f5a6b 02 40 20 80     eth0')).toBe(
    'fe800000000000000000000000000002 02 40 20 80     eth0',
  );
});

test('identifiers, labels and directories in a home directory are replaced', () => {
  const { text } = scrubber();
  expect(text('UUID=6B29FC40-CA47-1067-B31D-00DD010662DA')).toBe('UUID=00000000-0000-4000-8000-000000000001');
  expect(text('4c4c45440034571080530b7c04f4d433 00000000000000000000000000000000')).toBe(
    '00000000000000000000000000000001 00000000000000000000000000000000',
  );
  expect(text('/run/media/alice/HOLIDAY2019/x')).toBe('/run/media/user1/volume1/x');
  expect(text('/home/alice/Divorce/letters/run.sh /home/alice/.config/app/x')).toBe(
    '/home/user1/run.sh /home/user1/.config/app/x',
  );
});

test.each([
  ['/data/people/alice', '/data/people/alice/Divorce/letters/run.sh', '/data/people/user1/run.sh'],
  ['/data/people/alice/', 'file:///data/people/alice/Divorce/x', 'file:///data/people/user1/x'],
  ['/people/jürgen', '/people/jürgen/Geheim/x /people/jürgen/.cache/a/b', '/people/user1/x /people/user1/.cache/a/b'],
  ['/home/home/alice', '/home/home/alice/Divorce/x', '/home/home/user1/x'],
  ['/srv/home/alice', '/srv/home/alice/Divorce/x', '/srv/home/user1/x'],
  ['/home/company/alice', '/home/company/alice/Divorce/x', '/home/company/user1/x'],
  ['/home/alice', '/home/alice/home/bob/x', '/home/user1/x'],
  ['/data/alice', '/data/alice/My\\040Divorce/x /data/alice/a\\040b', '/data/user1/x /data/user1/a\\040b'],
  ['C:\\Users\\alice', 'C:\\Users\\alice\\Divorce\\x.txt', 'C:\\Users\\user1\\x.txt'],
  ['C:\\Users\\alice', 'C:\\Users\\alice\\AppData\\Local\\x', 'C:\\Users\\user1\\AppData\\Local\\x'],
  ['/', '/usr/lib/x', '/usr/lib/x'],
])('with the home directory %s, the names of directories in it are replaced', (home, given, expected) => {
  expect(scrubber([home]).text(given)).toBe(expected);
});

test('in tables of records all offsets stay', () => {
  const { inPlace } = scrubber();
  const nul = '\0';
  expect(inPlace(`${nul}alice${nul}${nul}192.168.1.7${nul}`)).toBe(
    `${nul}user1${nul}${nul}10.0.0.1${nul.repeat(3)}${nul}`,
  );
});
