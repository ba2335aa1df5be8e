import type { BusCall } from '@hostler/dbus/dbus.ts';
import { definePart } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';

/** Calls a method of the system bus whose answer is a descriptor, and keeps it until the returned function is called. */
type HoldDescriptor = (call: BusCall) => Promise<() => void>;

/** Loaded with the first call. */
export const hold = definePart<HoldDescriptor, LinuxHost>({
  name: 'power.hold',
  create:
    ({ environment }) =>
    async (call) =>
      (await import('./hold-descriptor.ts')).holdDescriptor(environment, call),
  absent: async () => {
    throw new Error('A recording has no bus that hands out descriptors');
  },
});
