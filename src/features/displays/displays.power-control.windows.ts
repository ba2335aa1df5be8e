import { requireScreen, whyNoScreen } from '../../host/windows/desktop-access.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { DisplayPowerControl } from './displays.contract.ts';

/** Windows switches all displays together, and does not report the result. */
export const displayPowerWindows = (host: Pick<WindowsHost, 'native'>): DisplayPowerControl => ({
  unavailable: () => whyNoScreen(host),
  async set({ displays, all }, power) {
    if (!all)
      throw new ServiceError(
        'unsupported',
        `Windows switches all displays together, so ${displays.join(', ')} cannot be switched alone; leave the display out`,
      );
    await requireScreen(host);
    const { user32 } = await host.native();
    if (!user32.switchDisplays(power === 'on')) throw new ServiceError('failed', 'Windows did not accept the request');
    return { displays, confirmed: false };
  },
});
