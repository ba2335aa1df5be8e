import { z } from 'zod';
import { quantity, quantityOrNull } from '../../core/quantity.schema.ts';

const text = (meaning: string) => z.string().nullable().describe(meaning);
/** Clients refuse null here: an unknown value is empty. */
const alwaysText = (meaning: string) => z.string().describe(`${meaning}; empty when unknown`);

export const systemSchema = z.object({
  hostname: text('Machine hostname'),
  fqdn: text('Fully qualified domain name, or the hostname where none is configured'),
  platform: text('Operating system, such as "Debian GNU/Linux"'),
  platform_version: alwaysText('Version of the operating system'),
  kernel_version: text('Kernel release'),
  boot_time: quantityOrNull('unix_seconds', 'When the machine started, Unix seconds'),
  uptime: quantityOrNull('seconds', 'Time since the machine started, seconds'),
  ip_address_4: alwaysText('IPv4 address of the interface with the default route'),
  ip_address_6: alwaysText('IPv6 address of the interface with the default route'),
  mac_address: alwaysText('Hardware address of the interface with the default route, as aa:bb:cc:dd:ee:ff'),
  uuid: text('Stable identifier of the machine'),
  users: z
    .array(
      z.object({
        name: z.string().describe('Login name'),
        active: z.boolean().describe('Whether the session is in the foreground'),
        terminal: alwaysText('Terminal or display of the session'),
        host: alwaysText('Host the user logged in from; empty for a local session'),
        started: quantity('unix_seconds', 'Time of the login, Unix seconds; 0 when unknown'),
        pid: z.int().nonnegative().describe('Leading process of the session; 0 when unknown'),
      }),
    )
    .describe('Logged-in users, one entry per session'),
  version: text('Installed version of this service'),
  version_latest: text('Latest available version of this service'),
  version_latest_url: text('Web page of the latest release'),
  version_newer_available: z
    .boolean()
    .nullable()
    .describe('Whether the latest version is newer than the installed one'),
  camera_usage: z.array(z.string()).describe('Programs using a camera'),
  microphone_usage: z.array(z.string()).describe('Programs recording from a microphone'),
  pending_reboot: z.boolean().nullable().describe('Whether a restart would complete an update'),
  power_usage: quantityOrNull('watts', 'Power draw of the whole machine, watts'),
  run_mode: z.literal('standalone').describe('How the service is running'),
  device_info: z
    .object({
      manufacturer: text('Manufacturer of the machine'),
      model: text('Model of the machine'),
      version: text('Version or marketing name of the model'),
      board_vendor: text('Manufacturer of the main board'),
      board_name: text('Model of the main board'),
      bios_vendor: text('Vendor of the firmware'),
      bios_version: text('Version of the firmware'),
      chassis_type: text('Type of chassis, such as "Laptop"'),
    })
    .describe('Make and model of the machine'),
});

export type System = z.infer<typeof systemSchema>;
export type SystemUser = System['users'][number];
export type DeviceInfo = System['device_info'];
