import { binarySensor, type ModuleEntities, sensor } from '../../core/readings/entities.ts';
import type { UserSession } from './session.schema.ts';

/** The window in front is never among them: whoever reads the broker would read along. */
export const sessionEntities: ModuleEntities<UserSession> = {
  atOnce: true,
  atMostEvery: 60,
  read: ({ idle, locked, do_not_disturb, night_light, power_profile, lid_closed, on_battery, type }) => [
    binarySensor('session_in_use', 'In use', idle === null ? null : !idle, { deviceClass: 'occupancy' }),
    // Home Assistant shows "on" of this class as unlocked.
    binarySensor('session_lock', 'Screen lock', locked === null ? null : !locked, { deviceClass: 'lock' }),
    binarySensor('session_do_not_disturb', 'Do not disturb', do_not_disturb, { icon: 'mdi:minus-circle' }),
    binarySensor('session_night_light', 'Night light', night_light, { icon: 'mdi:weather-night' }),
    sensor('session_power_profile', 'Power profile', power_profile, { stateClass: null, icon: 'mdi:speedometer' }),
    binarySensor('session_lid_closed', 'Lid closed', lid_closed, { icon: 'mdi:laptop' }),
    binarySensor('session_on_battery', 'On battery', on_battery, { icon: 'mdi:power-plug-off' }),
    sensor('session_type', 'Session type', type, {
      stateClass: null,
      icon: 'mdi:desktop-classic',
      isDiagnostic: true,
      isOff: true,
    }),
  ],
  controlled: ({ do_not_disturb, night_light }) => ({
    ...(do_not_disturb === null ? {} : { do_not_disturb: { value: do_not_disturb } }),
    ...(night_light === null ? {} : { night_light: { value: night_light } }),
  }),
};
