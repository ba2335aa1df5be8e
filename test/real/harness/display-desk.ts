import { createStore } from '../../../src/core/store.ts';
import { displayActions } from '../../../src/features/displays/displays.actions.ts';
import type { Displays } from '../../../src/features/displays/displays.schema.ts';
import { displays } from '../../../src/features/displays/displays.ts';
import { defaultSettings } from '../../../src/features/index.ts';
import { fakeActionContext, fakeContext } from '../../doubles/fake-host.ts';
import { hostIn } from './session-host.ts';

/** A listener to the displays of this session, and the action that switches them. */
export function switchDisplaysIn(variables: Record<string, string>) {
  const host = hostIn(variables);
  const settings = { ...defaultSettings, modules: { displays: { interval: 86_400_000 } } };
  const store = createStore({ modules: [displays.module], host, context: fakeContext({ settings: () => settings }) });
  let last: Displays = [];
  const stop = store.listen('displays', ({ payload }) => {
    last = payload as Displays;
  });
  const subscribers = { count: () => 1, onChange: () => () => {}, refresh: () => store.refresh() };
  const { context, close } = fakeActionContext(host, { read: async (module) => await store.get(module), subscribers });
  const [, displayPower] = displayActions;
  return {
    last: () => last,
    powers: () => last.map(({ power }) => power),
    set: (on: boolean, display?: string) =>
      displayPower.run({ on, ...(display === undefined ? {} : { display }) }, context),
    unavailable: () => displayPower.unavailable(context),
    async close() {
      stop();
      await close();
      store.close();
      await host.close();
    },
  };
}
