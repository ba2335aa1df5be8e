import { createScopes } from '../access/scopes.ts';
import type { ActionDefinition } from '../core/action.ts';
import type { Feature } from '../core/feature.ts';
import type { ModuleDefinition } from '../core/module.ts';
import { createSettingsCatalogue, type SettingsCatalogue } from '../settings/catalogue.ts';
import { alerts } from './alerts/alerts.ts';
import { applicationFeature } from './application/application.ts';
import { audio } from './audio/audio.ts';
import { battery } from './battery/battery.ts';
import { bluetooth } from './bluetooth/bluetooth.ts';
import { chat } from './chat/chat.ts';
import { clipboard } from './clipboard/clipboard.ts';
import { commandFeature } from './command/command.ts';
import { containers } from './containers/containers.ts';
import { controlFeature } from './control/control.ts';
import { cpu } from './cpu/cpu.ts';
import { custom } from './custom/custom.ts';
import { disks } from './disks/disks.ts';
import { displays } from './displays/displays.ts';
import { filesFeature } from './files/files.ts';
import { gpus } from './gpus/gpus.ts';
import { historyFeature } from './history/history.ts';
import { keyboardFeature } from './keyboard/keyboard.ts';
import { media } from './media/media.ts';
import { memory } from './memory/memory.ts';
import { networks } from './networks/networks.ts';
import { notificationFeature } from './notification/notification.ts';
import { openFeature } from './open/open.ts';
import { pointerFeature } from './pointer/pointer.ts';
import { powerFeature } from './power/power.ts';
import { processes } from './processes/processes.ts';
import { promptsFeature } from './prompts/prompts.ts';
import { screenFeature } from './screen/screen.ts';
import { sensors } from './sensors/sensors.ts';
import { services } from './services/services.ts';
import { session } from './session/session.ts';
import { settingsFeature } from './settings/settings.ts';
import { system } from './system/system.ts';
import { updates } from './updates/updates.ts';

/** Everything that can be read and done. Transports iterate over this list and know none of the features by name. */
export const features: readonly Feature[] = [
  alerts,
  applicationFeature,
  audio,
  battery,
  bluetooth,
  chat,
  clipboard,
  commandFeature,
  containers,
  controlFeature,
  cpu,
  custom,
  openFeature,
  disks,
  displays,
  filesFeature,
  gpus,
  historyFeature,
  keyboardFeature,
  media,
  memory,
  networks,
  notificationFeature,
  pointerFeature,
  powerFeature,
  processes,
  promptsFeature,
  screenFeature,
  sensors,
  services,
  session,
  settingsFeature(() => settingsCatalogue.schema()),
  system,
  updates,
];

export const modules: readonly ModuleDefinition[] = features.flatMap(({ module }) => (module === null ? [] : [module]));
export const actions: readonly ActionDefinition[] = features.flatMap((feature) => feature.actions);

export const scopes = createScopes(features.map((feature) => feature.scopes));
export const { all: allScopes, isScope } = scopes;

export const settingsCatalogue: SettingsCatalogue = createSettingsCatalogue(
  features.map((feature) => feature.settings),
  {
    mqttScopes: scopes.mqtt,
    modules,
    plainRules: async () => (await import('../settings/plain-rules.generated.ts')).plainRules,
  },
);
export const defaultSettings = settingsCatalogue.defaults;
