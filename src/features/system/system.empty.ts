import type { System } from './system.schema.ts';

/** A device without any identification. */
export const unknownDevice: System['device_info'] = {
  manufacturer: null,
  model: null,
  version: null,
  board_vendor: null,
  board_name: null,
  bios_vendor: null,
  bios_version: null,
  chassis_type: null,
};

export const unknownSystem: System = {
  hostname: null,
  fqdn: null,
  platform: null,
  platform_version: '',
  kernel_version: null,
  boot_time: null,
  uptime: null,
  ip_address_4: '',
  ip_address_6: '',
  mac_address: '',
  uuid: null,
  users: [],
  version: null,
  version_latest: null,
  version_latest_url: null,
  version_newer_available: null,
  camera_usage: [],
  microphone_usage: [],
  pending_reboot: null,
  power_usage: null,
  run_mode: 'standalone',
  device_info: unknownDevice,
};
