import type { Bus } from '@hostler/dbus/dbus.ts';
import { type BusValues, busValues, namedPlace } from '../../../host/linux/dbus/bus-properties.ts';
import { type Fact, mendably } from '../../../host/linux/desktop/found-value.ts';
import { createStops } from '../../../lib/closing.ts';
import { shownText } from '../../../lib/printable-text.ts';

/** The name since version 0.20, and the older one; tuned has the same interface. */
export const profilePlaces = [
  namedPlace('org.freedesktop.UPower.PowerProfiles'),
  namedPlace('net.hadess.PowerProfiles'),
];

export interface PowerProfiles {
  active: string;
  choices: readonly string[];
}

/** https://upower.pages.freedesktop.org/power-profiles-daemon/gdbus-org.freedesktop.UPower.PowerProfiles.html */
export function powerProfile(system: Bus): Pick<BusValues, 'watch'> & { read(): Promise<Fact<PowerProfiles>> } {
  const sources = profilePlaces.map((place) => busValues(system, place, { names: ['ActiveProfile', 'Profiles'] }));
  return {
    watch: (changed) => createStops(...sources.map((values) => values.watch(changed))).end,
    async read() {
      const found = await Promise.all(sources.map((values) => values.read()));
      const map = found.find(
        (each) => typeof each?.get('ActiveProfile') === 'string' && each.get('ActiveProfile') !== '',
      );
      if (map) return { value: { active: shownText(String(map.get('ActiveProfile')), 64), choices: choicesOf(map) } };
      return mendably('No power profile daemon is running; install power-profiles-daemon or tuned');
    },
  };
}

const mostProfiles = 16;

function choicesOf(values: ReadonlyMap<string, unknown>): string[] {
  const profiles = values.get('Profiles');
  const names = (Array.isArray(profiles) ? profiles : []).map((each) => Object(each).Profile);
  return names.filter((name) => typeof name === 'string' && name !== '' && name.length <= 64).slice(0, mostProfiles);
}
