import fs from 'node:fs';
import type { OwnSockets } from '../../socket-inspector.ts';

/** Of this process itself: `HOSTLER_PROC` does not apply. */
const directory = '/proc/self/fd';

export const ownSockets: OwnSockets = {
  countDescriptors() {
    // The size is the number of open descriptors since Linux 6.2, and 0 before.
    const facts = fs.statSync(directory, { throwIfNoEntry: false });
    // Without /proc nothing can be counted or limited.
    if (facts === undefined) return 0;
    return facts.size > 0 ? facts.size : (descriptorNumbers()?.length ?? null);
  },
  countSockets: () => descriptorNumbers()?.filter(isSocket).length ?? null,
  inspect: async () => (await import('./socket-inspector.ts')).openSocketInspector(),
};

/** null: no descriptor is free to read the directory with. */
export function descriptorNumbers(): number[] | null {
  try {
    return fs.readdirSync(directory).map(Number);
  } catch {
    return null;
  }
}

function isSocket(descriptor: number): boolean {
  try {
    return fs.readlinkSync(`${directory}/${descriptor}`).startsWith('socket:');
  } catch {
    // The descriptor of the directory itself, which is closed by now.
    return false;
  }
}
