import type { Bus, Dbus } from '@hostler/dbus/dbus.ts';
import { stopOnceBegun } from '../../../lib/closing.ts';
import type { RuntimeVariables } from '../runtime-directory.ts';

/** Both buses; their code is loaded on first use. */
export function createBuses(environment: RuntimeVariables): Dbus {
  let loading: Promise<Dbus> | null = null;
  let buses: Dbus | null = null;
  const load = () => {
    loading ??= import('./connect-buses.ts').then(({ connectBuses }) => {
      buses = connectBuses(environment);
      return buses;
    });
    return loading;
  };
  const bus = (name: keyof Dbus): Bus => ({
    call: async (call) => (await load())[name].call(call),
    subscribe: async (match, onSignal) => (await load())[name].subscribe(match, onSignal),
    onReconnected: (callback, lost) =>
      stopOnceBegun(load().then((loaded) => loaded[name].onReconnected(callback, lost))),
    unreachable: () => buses?.[name].unreachable?.() ?? null,
    forgetFailure: () => buses?.[name].forgetFailure?.(),
    close() {
      void loading?.then((loaded) => loaded[name].close());
    },
  });
  return { system: bus('system'), session: bus('session') };
}
