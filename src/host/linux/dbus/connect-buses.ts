import { type BusOptions, createBus } from '@hostler/dbus/bus.ts';
import type { Dbus } from '@hostler/dbus/dbus.ts';
import type { RuntimeVariables } from '../runtime-directory.ts';
import { connectVerified } from '../verified-local.ts';
import { sessionPlaces, systemPlaces } from './bus-address.ts';

/** Both buses; nothing is connected before the first use. */
export function connectBuses(environment: RuntimeVariables, options: BusOptions = {}): Dbus {
  return {
    system: createBus(() => systemPlaces(environment), connectVerified, options),
    session: createBus(() => sessionPlaces(environment), connectVerified, options),
  };
}
