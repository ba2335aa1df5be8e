import fs from 'node:fs';
import { definePart } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';

/** Files of /sys that hold one value each. */
export type Attributes = ReturnType<typeof createAttributes>;

export const attributes = definePart<Attributes, LinuxHost>({
  name: 'displays.attributes',
  create: createAttributes,
  absent: {
    follow: async () => () => {},
    write: async () => {
      throw new Error('A recording is not a machine that could be changed');
    },
  },
});

export function createAttributes({ place, clock }: Pick<LinuxHost, 'place' | 'clock'>) {
  return {
    /** Calls back when the kernel announces a change; rejects if it does not announce any. Returns a function that stops. */
    async follow(file: string, changed: () => void): Promise<() => void> {
      const { followUrgent } = await import('../../../host/linux/proc/poll-notify.ts');
      return await followUrgent(place(file), 'announces-until-read', clock, changed);
    },
    /** Writes an existing file. Rejects with the error of the system. */
    async write(file: string, value: string) {
      // Without O_CREAT, and asynchronous, because drivers may block.
      const handle = await fs.promises.open(place(file), fs.constants.O_WRONLY | fs.constants.O_TRUNC);
      try {
        await handle.write(value);
      } finally {
        await handle.close();
      }
    },
  };
}
