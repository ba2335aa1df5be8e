import { backlightsOf, lampValue, percentOfLamp, readBacklights } from '../../host/linux/hardware/backlight.ts';
import { setLamp } from '../../host/linux/hardware/backlight-order.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { BrightnessControl } from './displays.contract.ts';
import { eachThatWorks, tellableMonitors, whyNoMonitor, whyNotMonitor } from './displays.monitors.linux.ts';

const noLamp = 'No display of this machine has a backlight that the kernel knows (/sys/class/backlight is empty)';

/** Built-in displays have a lamp that the kernel knows; monitors at a cable are told themselves. */
export const brightnessControlLinux = (host: LinuxHost): BrightnessControl => {
  const lamps = (displays: readonly string[]) => backlightsOf(readBacklights(host.files), displays);
  return {
    async unavailable() {
      if (readBacklights(host.files).length > 0) return null;
      const why = whyNoMonitor(await host.monitors());
      return why === null ? null : `${noLamp}. ${why}`;
    },
    async dimmable(displays) {
      const lit = lamps(displays);
      const told = new Set(tellableMonitors(await host.monitors(), displays));
      return displays.filter((id) => lit.has(id) || told.has(id));
    },
    whyNot: async (display) => `The kernel has no backlight for it. ${whyNotMonitor(await host.monitors(), display)}`,
    async set(displays, percent) {
      const monitors = await host.monitors();
      return await eachThatWorks(displays, async (id) => {
        const lamp = lamps(displays).get(id);
        if (lamp !== undefined) {
          await setLamp(host, lamp.name, lampValue(percent, lamp.max));
          return { id, brightness: percentOfLamp(lamps(displays).get(id) ?? lamp) };
        }
        const { brightness } = await monitors.set(id, 'brightness', percent);
        if (brightness === null)
          throw new ServiceError('unsupported', `${id} has no brightness that can be set over DDC/CI`);
        return { id, brightness };
      });
    },
  };
};
