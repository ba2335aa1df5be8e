import type { Bus } from '@hostler/dbus/dbus.ts';
import { type BusValues, busValues } from '../../../host/linux/dbus/bus-properties.ts';
import { type Fact, mendably } from '../../../host/linux/desktop/found-value.ts';

/** The name since version 0.20, and the older one; tuned has the same interface. */
const places = [
  {
    destination: 'org.freedesktop.UPower.PowerProfiles',
    path: '/org/freedesktop/UPower/PowerProfiles',
    interface: 'org.freedesktop.UPower.PowerProfiles',
  },
  { destination: 'net.hadess.PowerProfiles', path: '/net/hadess/PowerProfiles', interface: 'net.hadess.PowerProfiles' },
];

/** https://upower.pages.freedesktop.org/power-profiles-daemon/gdbus-org.freedesktop.UPower.PowerProfiles.html */
export function powerProfile(system: Bus): Pick<BusValues, 'watch'> & { read(): Promise<Fact<string>> } {
  const sources = places.map((place) => busValues(system, place, { names: ['ActiveProfile'] }));
  return {
    watch(changed) {
      const stops = sources.map((values) => values.watch(changed));
      return () => {
        for (const stop of stops) stop();
      };
    },
    async read() {
      const found = await Promise.all(sources.map((values) => values.read()));
      const value = found
        .map((map) => map?.get('ActiveProfile'))
        .find((each) => typeof each === 'string' && each !== '');
      if (typeof value === 'string') return { value: value.slice(0, 64) };
      return mendably('No power profile daemon is running; install power-profiles-daemon or tuned');
    },
  };
}
