import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { DisplayPowerControl } from './displays.contract.ts';

/** Windows switches all displays together, and does not report the result. */
export const displayPowerWindows = (host: Pick<WindowsHost, 'native'>): DisplayPowerControl => ({
  unavailable: async () => null,
  async set({ displays, all }, power) {
    if (!all)
      throw new ServiceError(
        'unsupported',
        `Windows switches all displays together, so ${displays.join(', ')} cannot be switched alone; leave the display out`,
      );
    const { user32 } = await host.native();
    if (!user32.switchDisplays(power === 'on'))
      throw new ServiceError('failed', 'Windows did not accept the request, as in a disconnected session');
    return { displays, confirmed: false };
  },
});
