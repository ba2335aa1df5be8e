import type { WindowsHost } from '../host/windows/windows-host.ts';
import type { AppPlatform } from './platform.ts';
import { createWindowsTray } from './tray/windows/tray.ts';

export const appOnWindows = ({ startThread, native, paths }: WindowsHost): AppPlatform => ({
  tray: createWindowsTray(startThread, async (window) => (await native()).user32.wake(window)),
  onlyOne: async () => (await import('./single-instance.windows.ts')).holdInstance(paths.state),
});
