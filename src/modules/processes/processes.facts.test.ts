import { expect, test } from 'bun:test';
import { machineFiles } from '../../../test/machine-files.ts';
import { createFactsReader, type Facts } from './processes.facts.ts';

const user = { flags: 4_194_560, state: 'S'.charCodeAt(0) };
const kernel = { flags: 2_129_984, state: 'I'.charCodeAt(0) };
const zombie = { flags: 4_194_560, state: 'Z'.charCodeAt(0) };
const status = 'Name:\tx\nUmask:\t0022\nUid:\t1000\t0\t0\t0\nGid:\t0\t0\t0\t0\n';
/** The bytes of a text, a character each, as the kernel's name is kept. */
const bytes = (text: string) => Buffer.from(text).toString('latin1');

function read(comm: string, contents: Record<string, string> = {}, stat = user): Facts {
  const files = machineFiles({ '/proc/7/status': status, ...contents });
  return createFactsReader(files)(7, bytes(comm), stat, null);
}

test('the user is the real one, also of a program that runs as another', () => {
  expect(read('sudo').uid).toBe(1000);
});

test('a user line in the name is not taken for the real one', () => {
  const forged = 'Name:\tx\\nUid:\t0\nUid:\t1001\t1001\t1001\t1001\n';
  expect(read('x', { '/proc/7/status': forged }).uid).toBe(1001);
});

test('without a status there is no user', () => {
  const read = createFactsReader(machineFiles({}));
  expect(read(7, 'x', user, null)).toEqual({ name: 'x', path: null, workingDirectory: null, uid: null });
});

test.each([
  ['gnome-shell-cal', '/usr/libexec/gnome-shell-calendar-server\0', 'gnome-shell-calendar-server'],
  ['gnome-shell-cal', '/usr/libexec/something-else\0', 'gnome-shell-cal'],
  ['gnome-shell-cal', '', 'gnome-shell-cal'],
  ['short', '/usr/bin/short-and-more\0', 'short'],
  ['systemd-resolve', 'systemd-resolved\0--flag\0', 'systemd-resolved'],
])('the name %s with the command line %j is %s', (comm, cmdline, name) => {
  expect(read(comm, { '/proc/7/cmdline': cmdline }).name).toBe(name);
});

test('a command line without end does not become a name without end', () => {
  const cmdline = `/${'a'.repeat(3000)}\0`;
  expect(read('a'.repeat(15), { '/proc/7/cmdline': cmdline }).name).toBe('a'.repeat(255));
});

test('names are UTF-8, and a character that the kernel cut in two is left away', () => {
  expect(read('größe').name).toBe('größe');
  const files = machineFiles({ '/proc/7/status': status });
  const half = Buffer.from('aaaaaaaaaaaaaaü').subarray(0, 15).toString('latin1');
  expect(createFactsReader(files)(7, half, user, null).name).toBe('aaaaaaaaaaaaaa');
});

test('a program that was removed or replaced keeps its path, and a file of such a name has it', () => {
  const links = { '/proc/7/exe': '-> /usr/bin/old (deleted)', '/proc/7/cwd': '-> /home/ada (deleted)' };
  expect(read('x', links)).toMatchObject({ path: '/usr/bin/old', workingDirectory: '/home/ada' });
  expect(read('x', { ...links, '/usr/bin/old (deleted)': '' }).path).toBe('/usr/bin/old (deleted)');
});

test('a thread of the kernel has a directory, but no program, and a zombie has neither', () => {
  const links = { '/proc/7/exe': '-> /never', '/proc/7/cwd': '-> /' };
  expect(read('x', links, kernel)).toMatchObject({ path: null, workingDirectory: '/', uid: 1000 });
  expect(read('x', links, zombie)).toMatchObject({ path: null, workingDirectory: null, uid: 1000 });
});

test('of a thread of the kernel only the name is new', () => {
  const before = { name: 'kworker/0:1-events', path: null, workingDirectory: null, uid: 0 };
  const readFacts = createFactsReader(machineFiles({}));
  expect(readFacts(7, 'kworker/0:1-mm', kernel, before)).toEqual({ ...before, name: 'kworker/0:1-mm' });
});
