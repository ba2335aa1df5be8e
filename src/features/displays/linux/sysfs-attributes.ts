import fs from 'node:fs';
import { definePart } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';

/** Files of /sys that hold one value each. */
export interface Attributes {
  /** Calls back when the kernel announces a change; rejects where it does not announce any. Returns the way to stop. */
  follow(file: string, changed: () => void): Promise<() => void>;
  /** Sets a value of something that is there. Rejects with what the system has against it. */
  write(file: string, value: string): Promise<void>;
}

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

export function createAttributes({ place, clock }: Pick<LinuxHost, 'place' | 'clock'>): Attributes {
  return {
    async follow(file, changed) {
      const { followUrgent } = await import('../../../host/linux/proc/poll-notify.ts');
      return await followUrgent(place(file), 'announces-until-read', clock, changed);
    },
    async write(file, value) {
      // Nothing is made that is not there, and drivers that take their time hold up nobody else.
      const handle = await fs.promises.open(place(file), fs.constants.O_WRONLY | fs.constants.O_TRUNC);
      try {
        await handle.write(value);
      } finally {
        await handle.close();
      }
    },
  };
}
