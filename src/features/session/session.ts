import { defineFeature } from '../../core/feature.ts';
import { sessionActions } from './session.actions.ts';
import { sessionCommands } from './session.commands.ts';
import { sessionPowerActions } from './session.power.actions.ts';
import type { UserSession } from './session.schema.ts';

export const session = defineFeature<UserSession>({
  name: 'session',
  title: 'Session',
  module: {
    description: 'Who uses the desktop and how: idle, locked, active window, do not disturb, power profile',
    schema: async () => (await import('./session.schema.ts')).sessionSchema,
    everyMs: 60_000,
    empty: {
      user: null,
      seat: null,
      type: 'none',
      desktop: null,
      idle: null,
      idle_since: null,
      locked: null,
      active_window: null,
      do_not_disturb: null,
      night_light: null,
      power_profile: null,
      power_profiles: [],
      keep_awake: [],
      lid_closed: null,
      on_battery: null,
      virtual_desktop: null,
    },
    guarded: { field: 'active_window', scope: 'screen' },
    readings: async () => (await import('./session.readings.ts')).sessionReadings,
    sources: {
      linux: async () => (await import('./session.linux.ts')).sessionLinux,
      windows: async () => (await import('./session.windows.ts')).sessionWindows,
    },
  },
  actions: [...sessionActions, ...sessionPowerActions],
  commands: sessionCommands,
  settings: {
    session: {
      schema: async () => (await import('./session.settings.schema.ts')).sessionSettingsSchema,
      defaults: { idleAfter: 300 },
      after: 'history',
    },
  },
});
