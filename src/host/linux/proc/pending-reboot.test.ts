import { expect, test } from 'bun:test';
import { isKernelOutdated, parseKernel } from './pending-reboot.ts';

test.each([
  ['6.1.0-13-amd64', 'amd64', [6, 1, 0, 13]],
  ['6.1.0-13-rt-amd64', 'rt-amd64', [6, 1, 0, 13]],
  ['6.5.0-0.deb12.4-amd64', 'amd64', [6, 5, 0, 0, 12, 4]],
  ['6.12.38+deb13-cloud-arm64', 'cloud-arm64', [6, 12, 38, 13]],
  ['6.5.0-21-generic', 'generic', [6, 5, 0, 21]],
  ['6.5.6-300.fc39.x86_64', 'x86_64', [6, 5, 6, 300, 39]],
  ['6.5.6-300.fc39.x86_64+debug', 'x86_64-debug', [6, 5, 6, 300, 39]],
  ['5.14.0-362.8.1.el9_3.aarch64', 'aarch64', [5, 14, 0, 362, 8, 1, 9, 3]],
  ['5.15.0-101.103.2.1.el9uek.x86_64', 'uek-x86_64', [5, 15, 0, 101, 103, 2, 1, 9]],
  ['6.5.7-arch1-1', 'arch', [6, 5, 7, 1, 1]],
  ['6.1.57-1-lts', 'lts', [6, 1, 57, 1]],
  ['6.5.7-zen1-1-zen', 'zen-zen', [6, 5, 7, 1, 1]],
  ['6.4.0-150600.23.7-default', 'default', [6, 4, 0, 150600, 23, 7]],
  ['6.6.31+rpt-rpi-v8', 'rpt-rpi-v8', [6, 6, 31]],
  ['6.6.31+rpt-rpi-2712', 'rpt-rpi_2712', [6, 6, 31]],
  ['6.6.14_1', '', [6, 6, 14, 1]],
  ['6.7-rc3-amd64', 'amd64', [6, 7, -1, 3]],
])('%s is of the flavour "%s"', (release, flavour, version) => {
  expect(parseKernel(release)).toEqual({ flavour, version });
});

test.each<[string, string, string[], boolean]>([
  ['nothing newer', '6.1.0-13-amd64', ['6.1.0-9-amd64', '6.1.0-13-amd64'], false],
  ['a newer build, compared by number', '6.1.0-9-amd64', ['6.1.0-9-amd64', '6.1.0-13-amd64'], true],
  ['the next release of Debian', '6.1.0-37-amd64', ['6.1.0-37-amd64', '6.12.38+deb13-amd64'], true],
  ['the next Fedora', '6.5.6-300.fc39.x86_64', ['6.5.6-300.fc39.x86_64', '6.5.6-300.fc40.x86_64'], true],
  [
    'a newer one for debugging only',
    '6.5.6-300.fc39.x86_64',
    ['6.5.6-300.fc39.x86_64', '6.5.8-200.fc39.x86_64+debug'],
    false,
  ],
  ['the real-time kernel beside it', '6.1.0-13-amd64', ['6.1.0-13-amd64', '6.1.0-15-rt-amd64'], false],
  ['Arch has replaced the running one', '6.5.7-arch1-1', ['6.5.8-arch1-1'], true],
  ['lts runs, and the other one is newer', '6.1.57-1-lts', ['6.1.57-1-lts', '6.5.8-arch1-1'], false],
  ['lts runs and was replaced', '6.1.57-1-lts', ['6.1.58-1-lts', '6.5.8-arch1-1'], true],
  [
    'openSUSE keeps several',
    '6.4.0-150600.23.7-default',
    ['6.4.0-150600.23.7-default', '6.4.0-150600.23.14-default'],
    true,
  ],
  ['kernels for several boards', '6.6.31+rpt-rpi-v7', ['6.6.31+rpt-rpi-v7', '6.6.31+rpt-rpi-v8'], false],
  ['a release after its candidates', '6.7-rc3-amd64', ['6.7-rc3-amd64', '6.7-amd64'], true],
  ['candidates of what runs', '6.7-amd64', ['6.7-amd64', '6.7-rc3-amd64'], false],
  ['a kernel from another source', '6.18.44-fc-v445', ['6.1.0-13-arm64'], false],
  ['no kernels at all', '6.1.0-13-amd64', [], false],
])('whether a newer kernel is installed: %s', (_case, running, installed, outdated) => {
  expect(isKernelOutdated(running, installed)).toBe(outdated);
});
