import type { Bus } from '@hostler/dbus/dbus.ts';

const itself = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
};

/** Whether this name has an owner; starts no service. */
export async function nameHasOwner(bus: Bus, name: string): Promise<boolean> {
  const call = { ...itself, member: 'NameHasOwner', signature: 's', body: [name], timeoutMs: 2000 };
  const [runs] = await bus.call(call).catch(() => [false]);
  return runs === true;
}

/** Whether a call to this name would be answered, if need be by an activated service. */
export async function canBeActivated(bus: Bus, name: string): Promise<boolean> {
  const [names] = await bus.call({ ...itself, member: 'ListActivatableNames', timeoutMs: 2000 }).catch(() => [[]]);
  return Array.isArray(names) && names.includes(name);
}
