import { messageOf } from '../../lib/errors.ts';
import type { TransportParts } from '../transport.ts';

type PowerState = 'on' | 'sleeping' | 'off';

/** Follows sleep and shutdown, which the system announces in advance. */
export function followPowerState(
  { host, log }: Pick<TransportParts, 'host' | 'log'>,
  events: { changed(state: PowerState): void; resumed(): void },
): { current(): PowerState; stop(): Promise<void> } {
  let current: PowerState = 'on';
  const change = (state: PowerState) => {
    current = state;
    events.changed(state);
  };
  const following = host.machineEvents?.((event) => {
    if (event === 'sleep') change('sleeping');
    else if (event === 'shutdown') change('off');
    else if (event === 'shutdown-cancelled') change('on');
    else if (event === 'resume') {
      current = 'on';
      events.resumed();
    }
  });
  following?.catch((error) => log.debug(`entities: sleep and shutdown are not announced: ${messageOf(error)}`));
  return {
    current: () => current,
    async stop() {
      await following?.then((end) => end()).catch(() => {});
    },
  };
}
