import { expect, test } from 'bun:test';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { collectReasons } from '../../../../test/harness/machines.ts';
import type { Files } from '../../../host/linux/files.ts';
import { atOnce } from '../../../lib/slices.ts';
import { cameraDevices, readCameraUsage } from '../system.linux.ts';

function usage(files: Files) {
  const { reasons, collected } = collectReasons();
  return {
    names: atOnce(readCameraUsage(files, cameraDevices(files), reasons)),
    reasons: collected.map(({ mendable }) => mendable),
  };
}

const open = {
  '/dev/video0': '',
  '/proc/20/comm': 'zoom\n',
  '/proc/20/fd/7': '-> /dev/video0',
  '/proc/21/comm': 'cheese\n',
  '/proc/21/fd/3': '-> /dev/null',
  '/proc/21/fd/4': '-> /dev/video0',
  '/proc/22/comm': 'zoom\n',
  '/proc/22/fd/4': '-> /dev/video0',
  '/proc/23/comm': 'bash\n',
  '/proc/23/fd/0': '-> /dev/pts/0',
};
const references = '/sys/class/video4linux/video0/device/driver/module/refcnt';

test('processes with an open camera are listed once, in order', () => {
  expect(usage(machineFiles(open))).toEqual({ names: ['cheese', 'zoom'], reasons: [] });
});

test('a missing camera is an inherent reason', () => {
  expect(usage(machineFiles({ '/dev/videoconference': '' }))).toEqual({ names: [], reasons: [false] });
});

test('a camera whose driver has no references is not searched in processes', () => {
  const files = machineFiles({ ...open, [references]: '0\n' });
  const noProcesses = {
    ...files,
    list: (directory: string) => {
      if (directory.startsWith('/proc')) throw new Error(`${directory} was listed`);
      return files.list(directory);
    },
  };
  expect(usage(noProcesses)).toEqual({ names: [], reasons: [] });
  expect(usage(machineFiles({ ...open, [references]: '2\n' })).names).toEqual(['cheese', 'zoom']);
});

test('unreadable processes are a reason while no user of the camera is found', () => {
  const others = { '/dev/video0': '', '/proc/1/fd/.keep': '', '/proc/1/comm': 'systemd\n' };
  const hide = (files: Files): Files => ({
    ...files,
    entries: (directory) => (directory === '/proc/1/fd' ? [] : files.entries(directory)),
    denied: (file) => file === '/proc/1/fd',
  });
  expect(usage(hide(machineFiles(others)))).toEqual({ names: [], reasons: [true] });
  expect(usage(hide(machineFiles({ ...others, ...open })))).toEqual({ names: ['cheese', 'zoom'], reasons: [] });
});

test('a video codec is not a camera', () => {
  const files = machineFiles({
    ...open,
    '/sys/class/video4linux/video0/dev': '81:0\n',
    '/run/udev/data/c81:0': 'E:ID_V4L_PRODUCT=bcm2835-codec-decode\nE:ID_V4L_CAPABILITIES=:\n',
  });
  expect(usage(files)).toEqual({ names: [], reasons: [false] });
});

test('a process with thousands of open files is looked at in part, one process a step', () => {
  const links = Object.fromEntries(
    Array.from({ length: 3000 }, (_, number) => [`/proc/30/fd/${number}`, '-> /dev/null']),
  );
  const files = machineFiles({ ...open, ...links, '/proc/30/comm': 'many\n' });
  let looked = 0;
  const counting = {
    ...files,
    link(file: string) {
      if (file.startsWith('/proc/30/')) looked += 1;
      return files.link(file);
    },
  };
  const steps = readCameraUsage(counting, cameraDevices(files), collectReasons().reasons);
  let count = 0;
  while (steps.next().done !== true) count += 1;
  expect([looked, count]).toEqual([1024, 5]);
});
