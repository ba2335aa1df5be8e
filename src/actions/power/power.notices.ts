import type { ActionParts } from '../../core/action.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Notice } from './power.contract.ts';
import type { LoadPower } from './power.control.ts';

/** Shows something to the user, where that can be done; returns the way to take it away, also before it is there. */
export function createNotices(
  { host, log }: Pick<ActionParts, 'host' | 'log'>,
  load: LoadPower,
): (notice: Notice) => () => void {
  return (notice) => {
    const shown = load(host).then((control) => control?.notify?.(notice) ?? null);
    shown.catch((error) => log.debug(`power: no notification was shown: ${messageOf(error)}`));
    return () =>
      void shown.then(
        (takeAway) => takeAway?.(),
        () => {},
      );
  };
}
