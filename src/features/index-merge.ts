import type { ModuleDefinition } from '../core/module.ts';
import { alerts } from './alerts/alerts.ts';
import { audio } from './audio/audio.ts';
import { battery } from './battery/battery.ts';
import { bluetooth } from './bluetooth/bluetooth.ts';
import { chat } from './chat/chat.ts';
import { clipboard } from './clipboard/clipboard.ts';
import { containers } from './containers/containers.ts';
import { cpu } from './cpu/cpu.ts';
import { custom } from './custom/custom.ts';
import { disks } from './disks/disks.ts';
import { displays } from './displays/displays.ts';
import { gpus } from './gpus/gpus.ts';
import { media } from './media/media.ts';
import { memory } from './memory/memory.ts';
import { networks } from './networks/networks.ts';
import { processes } from './processes/processes.ts';
import { sensors } from './sensors/sensors.ts';
import { services } from './services/services.ts';
import { session } from './session/session.ts';
import { system } from './system/system.ts';
import { updates } from './updates/updates.ts';

/** Everything one can read. Transports walk this list and know none of them by name. */
export const modules: readonly ModuleDefinition[] = [
  alerts,
  audio,
  battery,
  bluetooth,
  chat,
  clipboard,
  containers,
  cpu,
  custom,
  disks,
  displays,
  gpus,
  media,
  memory,
  networks,
  processes,
  sensors,
  services,
  session,
  system,
  updates,
];
