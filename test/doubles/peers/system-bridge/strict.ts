import { z } from 'zod';

/**
 * What strict clients accept, written independently: required keys, and values that may not be null. Separate
 * from the schemas of the modules, so that a change there that would break such a client is detected here.
 */

const text = z.string();
const number = z.number();
const flag = z.boolean();
const orNull = <T extends z.ZodType>(type: T) => type.nullable();
/** Required keys with this type or null. */
const all = <T extends z.ZodType>(type: T, keys: string) =>
  Object.fromEntries(keys.split(' ').map((key) => [key, type.nullable()]));
const exactly = <T extends z.ZodType>(type: T, keys: string) =>
  Object.fromEntries(keys.split(' ').map((key) => [key, type]));

const times = z.object(all(number, 'user system idle interrupt dpc'));
const frequency = z.object(all(number, 'current min max'));
const counters = z.object(exactly(number, 'read_count write_count read_bytes write_bytes read_time write_time'));

export const strictModules: Record<string, z.ZodType> = {
  battery: z.object({ is_charging: orNull(flag), ...all(number, 'percentage time_remaining') }),
  cpu: z.object({
    ...all(text, 'name vendor family'),
    ...all(number, 'count load_average power temperature usage voltage'),
    frequency: orNull(frequency),
    stats: orNull(z.object(all(number, 'ctx_switches interrupts soft_interrupts syscalls'))),
    times: orNull(times),
    times_percent: orNull(times),
    per_cpu: z.array(
      z.object({
        id: number,
        ...all(number, 'power usage voltage'),
        frequency: orNull(frequency),
        times: orNull(times),
        times_percent: orNull(times),
      }),
    ),
  }),
  disks: z.object({
    devices: z.array(
      z.object({
        name: text,
        temperature: orNull(number),
        io_counters: orNull(counters),
        partitions: z.array(
          z.object({
            ...exactly(text, 'device mount_point filesystem_type options'),
            ...exactly(number, 'max_file_size max_path_length'),
            usage: orNull(z.object(exactly(number, 'total used free percent'))),
          }),
        ),
      }),
    ),
    io_counters: orNull(counters),
  }),
  displays: z.array(
    z.object({
      ...exactly(text, 'id name'),
      ...exactly(number, 'resolution_horizontal resolution_vertical x y'),
      ...all(number, 'width height pixel_clock refresh_rate'),
      is_primary: orNull(flag),
    }),
  ),
  gpus: z.array(
    z.object({
      ...exactly(text, 'id name'),
      ...all(
        number,
        'core_clock core_load fan_speed memory_clock memory_load memory_free memory_used memory_total power_usage temperature',
      ),
    }),
  ),
  media: z.object({
    ...all(text, 'album_artist album_title artist repeat status subtitle thumbnail title type'),
    ...all(number, 'duration playback_rate position track_number updated_at volume'),
    ...all(
      flag,
      'is_fast_forward_enabled is_next_enabled is_pause_enabled is_play_enabled is_previous_enabled is_rewind_enabled is_stop_enabled shuffle',
    ),
  }),
  memory: z.object({
    swap: orNull(z.object(all(number, 'total used free percent sin sout'))),
    virtual: orNull(
      z.object(all(number, 'total available percent used free active inactive buffers cached wired shared')),
    ),
  }),
  networks: z.object({
    connections: z.array(z.object({ ...all(number, 'fd family type pid'), ...all(text, 'laddr raddr status') })),
    io: orNull(z.object(all(number, 'bytes_sent bytes_recv packets_sent packets_recv errin errout dropin dropout'))),
    networks: z.array(
      z.object({
        name: orNull(text),
        addresses: z.array(z.object(all(text, 'address family netmask broadcast ptp'))),
        stats: orNull(
          z.object({ isup: orNull(flag), duplex: text, ...all(number, 'speed mtu'), flags: z.array(text) }),
        ),
      }),
    ),
  }),
  processes: z.array(
    z.object({
      id: number,
      ...all(text, 'name path status username working_directory'),
      ...all(number, 'cpu_usage created memory_usage'),
    }),
  ),
  // An additional key at its root makes a client fail.
  sensors: z.strictObject({
    fans: z.array(z.object({ ...exactly(text, 'key name label'), ...all(number, 'speed_rpm speed_min speed_max') })),
    temperatures: z.array(z.object({ key: text, temperature: number, high: number, critical: number })),
    windows_sensors: orNull(z.object({ hardware: z.array(z.unknown()), nvidia: orNull(z.object({})) })),
  }),
  system: z.object({
    ...exactly(
      text,
      'fqdn hostname kernel_version ip_address_4 ip_address_6 mac_address platform platform_version uuid version',
    ),
    ...exactly(number, 'boot_time uptime'),
    run_mode: z.literal('standalone'),
    users: z.array(
      z.object({ ...exactly(text, 'name terminal host'), ...exactly(number, 'started pid'), active: flag }),
    ),
    camera_usage: z.array(text),
    microphone_usage: z.array(text),
    power_usage: orNull(number),
    ...all(flag, 'pending_reboot version_newer_available'),
    ...all(text, 'version_latest version_latest_url'),
    device_info: z.object(
      all(text, 'manufacturer model version board_vendor board_name bios_vendor bios_version chassis_type'),
    ),
  }),
};

/** An additional key, or missing data, ends the listener of the Python clients. */
export const strictMessage = z
  .strictObject({
    id: text,
    type: z.string().min(1),
    subtype: z.string().min(1),
    data: z.unknown(),
    message: text.optional(),
    module: text.optional(),
  })
  .refine((message) => 'data' in message, 'data is missing');

const entry = z.object({
  ...exactly(text, 'name path modTime permissions'),
  size: number,
  isDirectory: flag,
  contentType: text.optional(),
  extension: z.string().startsWith('.').optional(),
});
export const strictFiles = z.array(entry);
/** Read by two generations: one needs the keys of a listing, the other these two. */
export const strictFile = entry.extend({ modified: number, mime_type: orNull(text) });
export const strictDirectories = z.array(z.object(exactly(text, 'key name path')));
/** Built from exactly these. */
export const strictCommandResult = z.strictObject({
  ...exactly(text, 'commandID stdout stderr'),
  exitCode: number,
  error: text.optional(),
});
/** Parts of it are built from exactly these keys; additional ones are accepted at the root only. */
export const strictSettings = z.object({
  autostart: flag,
  systemTray: flag,
  hotkeys: z.array(z.strictObject(exactly(text, 'name key'))),
  logLevel: z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']),
  commands: z.strictObject({
    allowlist: z.array(z.strictObject({ ...exactly(text, 'id name command workingDir'), arguments: z.array(text) })),
  }),
  disks: z.strictObject({ allowedSecondaryMountPoints: z.array(text) }),
  media: z.strictObject({ directories: z.array(z.strictObject(exactly(text, 'name path'))) }),
});

const mounts = z.array(
  z.object({
    ...exactly(text, 'device mount_point filesystem_type category'),
    usage: orNull(z.object(exactly(number, 'total used free percent'))),
  }),
);
export const strictMounts = z.strictObject({
  primary: mounts,
  secondary: z.strictObject({ bind: mounts, squashfs: mounts }),
});
