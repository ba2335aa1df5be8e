import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { createStops } from '../../lib/closing.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { AwakeControl } from './session.contract.ts';

/** The execution state of the main thread, which Windows drops with the process: one for all requests. */
export function keepAwakeWindows(host: WindowsHost): AwakeControl {
  let holds = 0;
  return {
    unavailable: async () => null,
    async hold() {
      const { kernel32 } = await host.native();
      if (holds === 0 && !kernel32.keepAwake(true))
        throw new ServiceError('failed', 'Windows refused to keep the machine awake');
      holds++;
      const { end: release } = createStops(() => {
        if (--holds === 0) kernel32.keepAwake(false);
      });
      return { blocks: ['idle'], release };
    },
  };
}
