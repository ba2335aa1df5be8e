import { startThread } from '../../src/app/threads/start-thread.ts';
import { createClock } from '../../src/host/clock.ts';
import type { Contained } from '../../src/host/contained/contained.ts';
import { createContained } from '../../src/host/linux/storage/contained.ts';
import type { HangingMounts } from '../../src/host/linux/storage/hanging-mounts.ts';

/** Files of this machine, as the service sees them. */
export const realContained = (hanging?: HangingMounts): Contained =>
  createContained(createClock(), startThread, () => false, hanging);
