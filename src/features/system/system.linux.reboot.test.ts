import { expect, test } from 'bun:test';
import { fakeHost } from '../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../test/harness/machine-files.ts';
import { collectReasons } from '../../../test/harness/machines.ts';
import { readPendingReboot } from './system.linux.ts';

function pending(kernel: string, contents: Record<string, string>) {
  const { reasons, collected } = collectReasons();
  const value = readPendingReboot(fakeHost({ files: machineFiles(contents), environment: { kernel } }), reasons);
  return { value, reasons: collected.length };
}

const running = '6.1.0-13-amd64';
const newer = '6.1.0-15-amd64';

test.each<[string, Record<string, string>, boolean]>([
  [
    'a package requested it',
    { '/run/reboot-required': '', [`/lib/modules/${running}/modules.dep`]: '', [`/boot/vmlinuz-${running}`]: '' },
    true,
  ],
  ['openSUSE requested it', { '/run/reboot-needed': '' }, true],
  [
    'only this kernel is installed',
    { [`/lib/modules/${running}/modules.dep`]: '', [`/boot/vmlinuz-${running}`]: '' },
    false,
  ],
  [
    'a newer one is installed',
    {
      [`/lib/modules/${running}/modules.dep`]: '',
      [`/boot/vmlinuz-${running}`]: '',
      [`/lib/modules/${newer}/modules.dep`]: '',
      [`/boot/vmlinuz-${newer}`]: '',
    },
    true,
  ],
  [
    'a removed one left its modules',
    {
      [`/lib/modules/${running}/modules.dep`]: '',
      [`/boot/vmlinuz-${running}`]: '',
      [`/lib/modules/${newer}/modules.dep`]: '',
    },
    false,
  ],
  [
    'no image is visible, so modules count',
    { [`/lib/modules/${running}/modules.dep`]: '', [`/usr/lib/modules/${newer}/modules.dep`]: '' },
    true,
  ],
  [
    'the image is with the modules',
    { [`/usr/lib/modules/${running}/vmlinuz`]: '', [`/usr/lib/modules/${newer}/vmlinuz`]: '' },
    true,
  ],
  [
    'NixOS runs the current system',
    { '/run/booted-system/kernel': '-> /nix/a/bzImage', '/run/current-system/kernel': '-> /nix/a/bzImage' },
    false,
  ],
  [
    'NixOS has switched to another',
    { '/run/booted-system/kernel': '-> /nix/a/bzImage', '/run/current-system/kernel': '-> /nix/b/bzImage' },
    true,
  ],
])('a pending restart: %s', (_case, contents, value) => {
  expect(pending(running, contents)).toEqual({ value, reasons: 0 });
});

test('the kernel of the host causes no pending restart of a container', () => {
  const image = { '/run/.containerenv': '', [`/lib/modules/${newer}/vmlinuz`]: '' };
  expect(pending(running, image)).toEqual({ value: false, reasons: 1 });
  expect(pending(running, { ...image, '/run/reboot-required': '' })).toEqual({ value: true, reasons: 0 });
});
