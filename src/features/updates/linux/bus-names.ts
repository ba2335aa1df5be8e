import { type Bus, busDaemon } from '@hostler/dbus/dbus.ts';
import { hasOwner } from '../../../host/linux/dbus/bus-properties.ts';

const timeoutMs = 2000;

/** Whether this name has an owner; starts no service. */
export const nameHasOwner = (bus: Bus, name: string) => hasOwner(bus, name, timeoutMs).catch(() => false);

/** Whether a call to this name would be answered, if need be by an activated service. */
export async function canBeActivated(bus: Bus, name: string): Promise<boolean> {
  const [names] = await bus.call({ ...busDaemon, member: 'ListActivatableNames', timeoutMs }).catch(() => [[]]);
  return Array.isArray(names) && names.includes(name);
}
