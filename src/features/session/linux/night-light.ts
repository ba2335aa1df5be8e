import type { Bus } from '@hostler/dbus/dbus.ts';
import { type BusValues, busValues, namedPlace } from '../../../host/linux/dbus/bus-properties.ts';
import { type Fact, inherently } from '../../../host/linux/desktop/found-value.ts';
import { createStops } from '../../../lib/closing.ts';

export const gnomeColor = namedPlace('org.gnome.SettingsDaemon.Color');
/** Plasma 6, and 5. */
export const plasmaLights = [
  namedPlace('org.kde.KWin.NightLight'),
  { destination: 'org.kde.NightColor', path: '/ColorCorrect', interface: 'org.kde.kwin.ColorCorrect' },
];

/** Whether the colours are warmer now in GNOME or Plasma. Programs such as gammastep do not report it. */
export function nightLight(session: Bus): Pick<BusValues, 'watch'> & { read(): Promise<Fact<boolean>> } {
  const sources = [
    { values: busValues(session, gnomeColor, { names: ['NightLightActive'] }), name: 'NightLightActive' },
    ...plasmaLights.map((place) => ({ values: busValues(session, place, { names: ['running'] }), name: 'running' })),
  ];
  return {
    watch: (changed) => createStops(...sources.map(({ values }) => values.watch(changed))).end,
    async read() {
      const found = await Promise.all(sources.map(({ values, name }) => values.read().then((map) => map?.get(name))));
      const value = found.find((each) => typeof each === 'boolean');
      return value === undefined
        ? inherently('Neither GNOME nor Plasma is running; the night light of other desktops cannot be seen')
        : { value };
    },
  };
}
