import type { Bus } from '@hostler/dbus/dbus.ts';
import { partOf } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { unlessAbsent } from '../../../lib/absence-cache.ts';
import type { Displays } from '../displays.schema.ts';
import { backlightsOf, lampNews, percentOfLamp, readBacklights } from './backlight.ts';
import { desktopLamps, lampsOfDesktop } from './desktop-brightness.ts';
import { attributes } from './sysfs-attributes.ts';

/** What the displays are lit by, as far as the kernel knows. */
export interface Brightness {
  added(displays: Displays): Displays;
  /** Calls back when it changes, and when it begins to hear of that. */
  watch(changed: () => void): () => void;
}

export function createBrightness(host: LinuxHost): Brightness {
  const { files, clock } = host;
  const lamps = unlessAbsent(clock, () => {
    const found = readBacklights(files);
    return found.length === 0 ? null : found;
  });
  return {
    added(displays) {
      const found = backlightsOf(
        lamps() ?? [],
        displays.map(({ id }) => id),
      );
      return displays.map((display) => {
        const lamp = found.get(display.id);
        return lamp === undefined ? display : { ...display, brightness: percentOfLamp(lamp) };
      });
    },
    watch(changed) {
      let stops: (() => void)[] = [];
      let stopped = false;
      for (const { name } of readBacklights(files))
        followLamp(host, name, changed).then(
          (stop) => {
            if (stopped) return stop();
            stops.push(stop);
            changed();
          },
          // Then it is seen when its turn comes.
          () => {},
        );
      return () => {
        stopped = true;
        for (const stop of stops) stop();
        stops = [];
      };
    },
  };
}

const followLamp = async (host: LinuxHost, name: string, changed: () => void) =>
  (await partOf(host, attributes)).follow(lampNews(name), changed);

/** What neither the kernel nor the display itself tells, Plasma may know: it has a slider for each monitor. */
export async function withSliders(displays: Displays, session: Bus): Promise<Displays> {
  if (displays.every(({ brightness }) => brightness !== null)) return displays;
  const sliders = lampsOfDesktop(await desktopLamps(session), displays);
  return displays.map((display) => ({
    ...display,
    brightness: display.brightness ?? sliders.get(display.id)?.percent ?? null,
  }));
}
