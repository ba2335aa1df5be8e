import { type BusOptions, createBus } from '../../../protocols/dbus/bus.ts';
import type { Dbus } from '../../../protocols/dbus/dbus.ts';
import { createConnectLocal } from '../../connect-local.ts';
import { sessionSockets, systemSockets, type Variables } from './bus-address.ts';

/** Both buses; nothing is connected before the first use. */
export function connectBuses(environment: Variables, options: BusOptions = {}): Dbus {
  const connect = createConnectLocal();
  return {
    system: createBus(() => systemSockets(environment), connect, options),
    session: createBus(() => sessionSockets(environment), connect, options),
  };
}
