import { type DisplaySwitch, openDisplaySwitch } from '../../host/linux/desktop/display-power.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import type { DisplayPowerControl } from './displays.contract.ts';

export const displayPowerLinux = (host: LinuxHost): DisplayPowerControl => ({
  async unavailable() {
    try {
      (await openDisplaySwitch(host)).close();
      return null;
    } catch (error) {
      return messageOf(error);
    }
  },
  set: ({ displays, all }, power) =>
    withSwitch(host, async (found) => {
      if (found.onlyTogether !== null && !all)
        throw new ServiceError(
          'unsupported',
          `${found.onlyTogether} switches all displays together; leave out the display to switch all of them`,
        );
      return await found.set(displays, power);
    }),
});

async function withSwitch<T>(host: LinuxHost, work: (found: DisplaySwitch) => Promise<T>): Promise<T> {
  const found = await openDisplaySwitch(host);
  try {
    return await work(found);
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError('failed', `The displays could not be switched: ${messageOf(cause)}`, { cause });
  } finally {
    found.close();
  }
}
