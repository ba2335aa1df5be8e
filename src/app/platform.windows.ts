import type { WindowsHost } from '../host/windows/windows-host.ts';
import { createRestarts } from './installation/windows/restarts.ts';
import type { AppPlatform } from './platform.ts';
import { createWindowsTray } from './tray/windows/tray.ts';

export function appOnWindows(host: WindowsHost): AppPlatform {
  const { startThread, native, paths } = host;
  return {
    tray: createWindowsTray(startThread, async (window) => (await native()).user32.wake(window)),
    leaveConsole: async () => (await native()).kernel32.leaveConsole(),
    isDoubleClicked: async () => !(await native()).kernel32.isOutputSeen(),
    onlyOne: async () => (await import('./single-instance.windows.ts')).holdInstance(paths.state),
    restarts: createRestarts(host, [process.execPath, ...process.argv.slice(2)]),
  };
}
