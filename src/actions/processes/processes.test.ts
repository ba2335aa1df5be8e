import { expect, test } from 'bun:test';
import { fakeActionContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../test/harness/machine-files.ts';
import { perform } from '../../../test/harness/perform.ts';
import { parseCommandLine } from './processes.linux.ts';
import { processDetails } from './processes.ts';

function read(id: unknown) {
  const files = machineFiles({
    'proc/7/cmdline': '/usr/bin/mpv\0--title\0Slow waves\0',
    'proc/8/cmdline': '',
    'proc/8/stat': '8 (kworker) I',
  });
  return perform(processDetails, { id }, fakeActionContext(fakeHost({ files })).context);
}

test('the command line of a process is read when it is asked for, also by a query', async () => {
  expect(await read(7)).toEqual({ id: 7, command_line: ['/usr/bin/mpv', '--title', 'Slow waves'] });
  expect(await read('7')).toMatchObject({ id: 7 });
  expect(await read(8)).toEqual({ id: 8, command_line: null });
});

test('one that is not there, or no number, is refused with a sentence', async () => {
  await expect(read(9)).rejects.toThrow('There is no process 9');
  for (const wrong of ['../../etc', 0, -1, 1.5]) await expect(read(wrong)).rejects.toThrow();
});

test('whoever may only read does not get it', () => {
  expect(processDetails.scopes).toEqual(['command', 'admin']);
});

test.each([
  ['', null],
  ['\0\0', null],
  ['sshd: ada [priv]\0\0\0   ', ['sshd: ada [priv]']],
  ['sh\0-c\0\0x\0', ['sh', '-c', '', 'x']],
])('%j has the arguments %j', (text, expected) => {
  expect(parseCommandLine(text)).toEqual(expected);
});
