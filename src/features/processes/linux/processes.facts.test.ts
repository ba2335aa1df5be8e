import { expect, test } from 'bun:test';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { createFactsReader, type ProcessFacts } from './processes.facts.ts';

const user = { flags: 4_194_560, state: 'S'.charCodeAt(0) };
const kernel = { flags: 2_129_984, state: 'I'.charCodeAt(0) };
const zombie = { flags: 4_194_560, state: 'Z'.charCodeAt(0) };
const status = 'Name:\tx\nUmask:\t0022\nUid:\t1000\t0\t0\t0\nGid:\t0\t0\t0\t0\n';
/** One character per byte of the text, as in `comm`. */
const bytes = (text: string) => Buffer.from(text).toString('latin1');

function read(comm: string, contents: Record<string, string> = {}, stat = user): ProcessFacts {
  const files = machineFiles({ '/proc/7/status': status, ...contents });
  return createFactsReader(files)(7, bytes(comm), stat, null);
}

test('the user is the real one, also of a setuid program', () => {
  expect(read('sudo').uid).toBe(1000);
});

test('a forged Uid line in the name is ignored', () => {
  const forged = 'Name:\tx\\nUid:\t0\nUid:\t1001\t1001\t1001\t1001\n';
  expect(read('x', { '/proc/7/status': forged }).uid).toBe(1001);
});

test('without a status there is no user', () => {
  const read = createFactsReader(machineFiles({}));
  expect(read(7, 'x', user, null)).toEqual({
    comm: 'x',
    name: { text: 'x' },
    path: null,
    workingDirectory: null,
    uid: null,
  });
});

test('a removed program has its path without the mark, and no file of that name is looked up', () => {
  const links = { '/proc/7/exe': '-> /usr/bin/old (deleted)', '/proc/7/cwd': '-> /home/ada (deleted)' };
  expect(read('x', links)).toMatchObject({ path: '/usr/bin/old', workingDirectory: '/home/ada' });
  expect(read('x', { ...links, '/usr/bin/old (deleted)': '' }).path).toBe('/usr/bin/old');
});

test('a kernel thread has a directory but no program, and a zombie has neither', () => {
  const links = { '/proc/7/exe': '-> /never', '/proc/7/cwd': '-> /' };
  expect(read('x', links, kernel)).toMatchObject({ path: null, workingDirectory: '/', uid: 1000 });
  expect(read('x', links, zombie)).toMatchObject({ path: null, workingDirectory: null, uid: 1000 });
});

test('of a kernel thread only the name is read again', () => {
  const before = { comm: 'kworker/0:1-events', name: { text: '' }, path: null, workingDirectory: '/', uid: 0 };
  const comm = 'kworker/0:1-mm';
  const readFacts = createFactsReader(machineFiles({}));
  expect(readFacts(7, comm, kernel, before)).toEqual({ ...before, comm, name: { text: comm } });
});

test('a name is resolved once while neither it nor the program changes', () => {
  const files = machineFiles({ '/proc/7/status': status, '/proc/7/exe': '-> /usr/bin/thing' });
  const readFacts = createFactsReader(files);
  const before = readFacts(7, 'thing', user, null);
  expect(readFacts(7, 'thing', user, before).name).toBe(before.name);
  files.remove('/proc/7/exe');
  files.write('/proc/7/exe', '-> /opt/thing');
  expect(readFacts(7, 'thing', user, before).name).not.toBe(before.name);
});
