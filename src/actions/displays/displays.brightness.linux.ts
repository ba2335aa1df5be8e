import { backlightsOf, lampValue, percentOfLamp, readBacklights } from '../../host/linux/hardware/backlight.ts';
import { setLamp } from '../../host/linux/hardware/backlight-order.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import type { BrightnessControl } from './displays.contract.ts';

const noLamp =
  'No display of this machine has a backlight that the kernel knows (/sys/class/backlight is empty); only built-in displays have one';

export const brightnessControlLinux = (host: LinuxHost): BrightnessControl => {
  const lamps = (displays: readonly string[]) => backlightsOf(readBacklights(host.files), displays);
  return {
    unavailable: () => (readBacklights(host.files).length === 0 ? noLamp : null),
    dimmable: (displays) => [...lamps(displays).keys()],
    async set(displays, percent) {
      for (const { name, max } of lamps(displays).values()) await setLamp(host, name, lampValue(percent, max));
      return [...lamps(displays)].map(([id, lamp]) => ({ id, brightness: percentOfLamp(lamp) }));
    },
  };
};
