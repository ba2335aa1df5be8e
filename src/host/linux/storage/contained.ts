import fs from 'node:fs';
import type { Clock } from '../../../lib/clock.ts';
import type { StartThread } from '../../../lib/thread.ts';
import { createHangingFiles } from '../../contained/contained.hanging.ts';
import { createPortableContained } from '../../contained/contained.portable.ts';
import { type Contained, inside } from '../../contained/contained.ts';
import { findByDescriptor } from './contained.descriptors.ts';
import { exposureOfFacts } from './exposure.ts';
import { createHangingMounts, type HangingMounts } from './hanging-mounts.ts';
import { linksTo } from './links-to.ts';

export function createContained(
  clock: Clock,
  startThread: StartThread,
  isOurs: Contained['isOurs'] = () => false,
  hanging: HangingMounts = createHangingMounts(clock),
): Contained {
  const elsewhere = createHangingFiles(clock, startThread, 'contained', hanging.inside);
  // In a chroot without /proc descriptors have no paths: use the weaker way.
  if (!fs.existsSync('/proc/self/fdinfo')) return { ...createPortableContained(isOurs), exposureOf, linksTo };
  return {
    find: inside((base, relative) => {
      const mount = hanging.onWay(base, relative);
      return mount === null ? findByDescriptor(base, relative, hanging.inside) : elsewhere.find(mount, base, relative);
    }),
    isOurs,
    mayHang: (file) => hanging.onWay(file, '') !== null,
    exposureOf,
    linksTo,
  };
}

const exposureOf: NonNullable<Contained['exposureOf']> = (facts) => exposureOfFacts(facts);
