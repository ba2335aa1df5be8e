import type { Bus } from '@hostler/dbus/dbus.ts';
import { partOf } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { unlessAbsent } from '../../../lib/absence-cache.ts';
import { createStops } from '../../../lib/closing.ts';
import type { Displays } from '../displays.schema.ts';
import { backlightsOf, lampNews, percentOfLamp, readBacklights } from './backlight.ts';
import { desktopLamps, lampsOfDesktop } from './desktop-brightness.ts';
import { attributes } from './sysfs-attributes.ts';

export function createBrightness(host: LinuxHost) {
  const { files, clock } = host;
  const lamps = unlessAbsent(clock, () => {
    const found = readBacklights(files);
    return found.length === 0 ? null : found;
  });
  return {
    added(displays: Displays): Displays {
      const found = backlightsOf(
        lamps() ?? [],
        displays.map(({ id }) => id),
      );
      return displays.map((display) => {
        const lamp = found.get(display.id);
        return lamp === undefined ? display : { ...display, brightness: percentOfLamp(lamp) };
      });
    },
    /** Calls back when it changes, and when the subscription starts. */
    watch(changed: () => void): () => void {
      const stops = createStops();
      for (const { name } of readBacklights(files))
        followLamp(host, name, changed).then(
          (stop) => {
            stops.add(stop);
            if (!stops.isEnded()) changed();
          },
          // Without announcements it is read at the interval of the module.
          () => {},
        );
      return stops.end;
    },
  };
}

const followLamp = async (host: LinuxHost, name: string, changed: () => void) =>
  (await partOf(host, attributes)).follow(lampNews(name), changed);

/** The sliders of the desktop fill in what neither the kernel nor the display reports. */
export async function withSliders(displays: Displays, session: Bus): Promise<Displays> {
  if (displays.every(({ brightness }) => brightness !== null)) return displays;
  const sliders = lampsOfDesktop(await desktopLamps(session), displays);
  return displays.map((display) => ({
    ...display,
    brightness: display.brightness ?? sliders.get(display.id)?.percent ?? null,
  }));
}
