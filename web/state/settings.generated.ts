// Made by "npm run generate" from the features. Do not edit.
import { alertsSettingsSchema } from '../../src/features/alerts/alerts.settings.schema.ts';
import { batterySettingsSchema } from '../../src/features/battery/battery.settings.schema.ts';
import { chatSettingsSchema } from '../../src/features/chat/chat.settings.schema.ts';
import { commandsSettingsSchema } from '../../src/features/command/command.settings.schema.ts';
import { containersSettingsSchema } from '../../src/features/containers/containers.settings.schema.ts';
import { customSettingsSchema } from '../../src/features/custom/custom.settings.schema.ts';
import { disksSettingsSchema } from '../../src/features/disks/disks.settings.schema.ts';
import { mediaSettingsSchema } from '../../src/features/files/files.settings.schema.ts';
import { filesSettingsSchema } from '../../src/features/files/files.settings.schema.ts';
import { historySettingsSchema } from '../../src/features/history/history.settings.schema.ts';
import { screenSettingsSchema } from '../../src/features/screen/screen.settings.schema.ts';
import { servicesSettingsSchema } from '../../src/features/services/services.settings.schema.ts';
import { sessionSettingsSchema } from '../../src/features/session/session.settings.schema.ts';
import { releasesSettingsSchema } from '../../src/features/system/system.settings.schema.ts';
import { createSettingsSchema } from '../../src/settings/settings.schema.ts';

export const settingsSchema = createSettingsSchema({
  order: ["autostart","systemTray","hotkeys","logLevel","logFormat","commands","services","containers","custom","disks","media","files","battery","modules","server","security","mcp","pairing","discovery","metrics","glances","mqtt","otlp","history","session","screen","alerts","dashboard","chat","releases"],
  mqttScopes: ["read","files","media","notify","chat","control","input","pointer","power","processes","services","containers","command"],
  sections: {
    alerts: alertsSettingsSchema,
    battery: batterySettingsSchema,
    chat: chatSettingsSchema,
    commands: commandsSettingsSchema,
    containers: containersSettingsSchema,
    custom: customSettingsSchema,
    disks: disksSettingsSchema,
    media: mediaSettingsSchema,
    files: filesSettingsSchema,
    history: historySettingsSchema,
    screen: screenSettingsSchema,
    services: servicesSettingsSchema,
    session: sessionSettingsSchema,
    releases: releasesSettingsSchema,
  },
});

export const protection: Record<'remotelyChangeable' | 'ownerOnly' | 'localOnly', readonly string[]> = {
  "remotelyChangeable": [
    "autostart",
    "systemTray",
    "hotkeys",
    "logLevel",
    "logFormat",
    "modules",
    "disks"
  ],
  "ownerOnly": [
    "security.remoteAdmin",
    "mcp.trustClientConfirmation",
    "mqtt.scopes",
    "otlp.endpoint",
    "otlp.headersFile",
    "otlp.caFile",
    "chat.oauthUrl",
    "screen.allowed",
    "screen.askForAgents",
    "releases.url"
  ],
  "localOnly": [
    "mqtt.url",
    "mqtt.serverName",
    "mqtt.username",
    "mqtt.caFile",
    "mqtt.certificateFile",
    "mqtt.keyFile",
    "alerts.webhooks",
    "alerts.targets",
    "battery.nut"
  ]
};
