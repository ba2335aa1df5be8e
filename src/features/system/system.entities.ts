import { binarySensor, type ModuleEntities, sensor, wattSensor } from '../../core/readings/entities.ts';
import type { System } from './system.schema.ts';

export const systemEntities: ModuleEntities<System> = {
  read: (system) => [
    sensor('last_boot', 'Last boot', bootTime(system.boot_time), {
      deviceClass: 'timestamp',
      stateClass: null,
      isDiagnostic: true,
    }),
    wattSensor('power_usage', 'Power usage', system.power_usage),
    binarySensor('camera_in_use', 'Camera in use', system.camera_usage.length > 0, {
      deviceClass: 'running',
      icon: 'mdi:webcam',
      attributes: { programs: system.camera_usage },
    }),
    binarySensor('microphone_in_use', 'Microphone in use', system.microphone_usage.length > 0, {
      deviceClass: 'running',
      icon: 'mdi:microphone',
      attributes: { programs: system.microphone_usage },
    }),
    binarySensor('pending_reboot', 'Restart needed', system.pending_reboot, { deviceClass: 'problem' }),
    sensor('users', 'Users', new Set(system.users.map(({ name }) => name)).size, {
      isOff: true,
      isDiagnostic: true,
      icon: 'mdi:account-multiple',
      attributes: { names: [...new Set(system.users.map(({ name }) => name))] },
    }),
    {
      key: 'version',
      component: 'update',
      name: 'Hostler',
      isDiagnostic: true,
      value: releaseOf(system),
    },
  ],
  device: ({ uuid, hostname, device_info, mac_address, ip_address_4, ip_address_6 }) => ({
    id: uuid,
    name: hostname,
    manufacturer: device_info.manufacturer,
    model: device_info.model,
    mac: mac_address || null,
    address: ip_address_4 || ip_address_6 || null,
  }),
};

/** In whole minutes: the clock is corrected now and then, and the machine did not start anew for it. */
function bootTime(seconds: number | null): string | null {
  return seconds === null ? null : new Date(Math.round(seconds / 60) * 60_000).toISOString();
}

/** Null is none of the values that an update can have. */
function releaseOf({ version, version_latest, version_latest_url }: System): Record<string, string> | null {
  if (version === null) return null;
  return {
    installed_version: version,
    latest_version: version_latest ?? version,
    ...(version_latest_url !== null && { release_url: version_latest_url }),
  };
}
