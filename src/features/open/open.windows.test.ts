import { expect, test } from 'bun:test';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { openerWindows } from './open.windows.ts';

function machine(outcome: number) {
  const opened: string[] = [];
  const shell32 = {
    open(target: string) {
      opened.push(target);
      return outcome;
    },
  };
  const host = { native: async () => ({ shell32 }) } as unknown as WindowsHost;
  return { opener: openerWindows(host), opened };
}

test.each(['https://example.com/setup.exe', 'C:\\Users\\me\\Music\\a song.mp3', 'mailto:me@example.com'])(
  '%p is opened unchanged',
  async (target) => {
    const { opener, opened } = machine(42);
    await opener.open(target);
    expect(opened).toEqual([target]);
  },
);

test.each([
  [2, 'it does not exist'],
  [31, 'no program for it is installed'],
  [8, 'error 8'],
])('error %i of Windows is explained', async (outcome, sentence) => {
  await expect(machine(outcome).opener.open('C:\\x\\a.xyz')).rejects.toThrow(sentence);
});
