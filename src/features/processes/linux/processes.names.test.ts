import { describe, expect, test } from 'bun:test';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { until } from '../../../../test/harness/until.ts';
import { createNames } from './processes.names.ts';

/** One character per byte of the text, as in `comm`. */
const bytes = (text: string) => Buffer.from(text).toString('latin1');

describe('the name of a process', () => {
  test.each([
    ['short', '/usr/bin/short-and-more', 'short'],
    ['größe', null, 'größe'],
    ['gnome-session-b', '/usr/libexec/gnome-session-binary', 'gnome-session-binary'],
    ['weird) R 1 (nam', '/home/ada/weird) R 1 (name', 'weird) R 1 (name'],
    ['a'.repeat(15), `/${'a'.repeat(300)}`, 'a'.repeat(255)],
  ])('%s of the program %s is %s immediately', (comm, path, name) => {
    expect(createNames(machineFiles({}))(7, bytes(comm), path)).toEqual({ text: name });
  });

  test.each([
    ['chromium-browse', '/usr/bin/chromium-browser\0--flag\0', 'chromium-browser'],
    ['systemd-resolve', 'systemd-resolved\0', 'systemd-resolved'],
  ])('%s with the command line %j is %s after an asynchronous read', async (comm, cmdline, whole) => {
    const name = createNames(machineFiles({ '/proc/7/cmdline': cmdline }))(7, comm, '/usr/lib/other');
    expect(name.text).toBe(comm);
    await until(() => name.text === whole, 'the whole name is known');
  });

  test('stays truncated if the command line begins differently or is empty', async () => {
    const find = createNames(
      machineFiles({ '/proc/7/cmdline': '/usr/lib/firefox\0', '/proc/9/cmdline': 'last-of-all-names\0' }),
    );
    const names = [find(7, 'Isolated Web Co', '/usr/lib/firefox'), find(8, 'nothing-is-here', null)];
    // They are read one after the other.
    const last = find(9, 'last-of-all-nam', null);
    await until(() => last.text === 'last-of-all-names', 'all are read');
    expect(names.map(({ text }) => text)).toEqual(['Isolated Web Co', 'nothing-is-here']);
  });

  test('that was cut within a character loses the incomplete one', () => {
    const cut = bytes('aaaaaaaaaaaaaaü').slice(0, 15);
    expect(createNames(machineFiles({}))(7, cut, null).text).toBe('aaaaaaaaaaaaaa');
  });

  test('of a process that hangs blocks no caller, and no second command line is read meanwhile', async () => {
    const reads: string[] = [];
    const files = {
      ...machineFiles({}),
      textLater(path: string) {
        reads.push(path);
        return new Promise<null>(() => {});
      },
    };
    const find = createNames(files);
    for (let pid = 1; pid < 5000; pid += 1) expect(find(pid, 'a-name-that-is-', null).text).toBe('a-name-that-is-');
    await new Promise((resolve) => setImmediate(resolve));
    expect(reads).toEqual(['/proc/1/cmdline']);
  });
});
