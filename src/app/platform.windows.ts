import type { WindowsHost } from '../host/windows/windows-host.ts';
import { holdInstance } from './only-one.ts';
import type { AppPlatform } from './platform.ts';
import { createWindowsTray } from './tray/windows/tray.ts';

export const appOnWindows = ({ startThread, native, paths }: WindowsHost): AppPlatform => ({
  tray: createWindowsTray(startThread, async (window) => (await native()).user32.wake(window)),
  onlyOne: async () => holdInstance((await import('./single-instance.windows.ts')).openInstance(), paths.state),
});
