import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { createContainerControl } from './containers.control.ts';
import { engineAccessWindows } from './engine-pipes.windows.ts';

export const containerControlWindows = (host: WindowsHost) =>
  createContainerControl({
    ...engineAccessWindows(host),
    ownContainer: () => null,
    noEngines: 'No pipe of Docker Desktop or Podman was found; start the engine',
  });
