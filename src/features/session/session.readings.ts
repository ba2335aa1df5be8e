import type { ControlledState } from '../../core/readings/entities.ts';
import { readings } from '../../core/readings/readings.ts';
import { otlpFlag, type Row } from '../../core/readings/rows.ts';
import type { UserSession } from './session.schema.ts';

const not = (flag: boolean | null) => (flag === null ? null : !flag);

const flag = (id: string, name: string, icon: string): Pick<Row<UserSession>, 'id' | 'name' | 'entity'> => ({
  id,
  name,
  entity: { component: 'binary_sensor', icon },
});

/** The active window is never published: every reader of the broker or the metrics would see it. */
export const sessionReadings = readings<UserSession>({
  rows: [
    {
      id: 'session_in_use',
      name: 'In use',
      help: 'Whether keyboard and pointer have been unused for a while',
      value: ({ idle }) => not(idle),
      entity: { deviceClass: 'occupancy' },
      prometheus: { name: 'hostler_session_idle', value: ({ idle }) => idle },
      otlp: otlpFlag('hostler.session.idle'),
    },
    {
      id: 'session_lock',
      name: 'Screen lock',
      help: 'Whether the screen is locked',
      // Home Assistant shows "on" of this class as unlocked.
      value: ({ locked }) => not(locked),
      entity: { deviceClass: 'lock' },
      prometheus: { name: 'hostler_session_locked', value: ({ locked }) => locked },
      otlp: otlpFlag('hostler.session.locked'),
    },
    {
      ...flag('session_do_not_disturb', 'Do not disturb', 'mdi:minus-circle'),
      value: ({ do_not_disturb }) => do_not_disturb,
    },
    { ...flag('session_night_light', 'Night light', 'mdi:weather-night'), value: ({ night_light }) => night_light },
    {
      id: 'session_power_profile',
      name: 'Power profile',
      value: ({ power_profile }) => power_profile,
      entity: { stateClass: null, icon: 'mdi:speedometer' },
    },
    {
      ...flag('session_lid_closed', 'Lid closed', 'mdi:laptop'),
      help: 'Whether the lid is closed',
      value: ({ lid_closed }) => lid_closed,
      prometheus: 'hostler_session_lid_closed',
      otlp: otlpFlag('hostler.session.lid_closed'),
    },
    {
      ...flag('session_on_battery', 'On battery', 'mdi:power-plug-off'),
      help: 'Whether the machine runs on battery',
      value: ({ on_battery }) => on_battery,
      prometheus: 'hostler_session_on_battery',
      otlp: otlpFlag('hostler.session.on_battery'),
    },
    {
      id: 'session_type',
      name: 'Session type',
      value: ({ type }) => type,
      entity: { stateClass: null, icon: 'mdi:desktop-classic', isDiagnostic: true, isOff: true },
    },
  ],
  entities: {
    atOnce: true,
    controlled: ({ do_not_disturb, night_light, power_profile, power_profiles, keep_awake }) => ({
      keep_awake: { value: keep_awake.length > 0 },
      ...(do_not_disturb === null ? {} : { do_not_disturb: { value: do_not_disturb } }),
      ...(night_light === null ? {} : { night_light: { value: night_light } }),
      ...(power_profiles.length === 0 ? {} : { power_profile: profileChoice(power_profile, power_profiles) }),
    }),
  },
});

/** A plan of the user's own on Windows is not among the choices. */
function profileChoice(profile: string | null, profiles: readonly string[]): ControlledState {
  return {
    value: profile !== null && profiles.includes(profile) ? profile : null,
    choices: new Map(profiles.map((each) => [each, each])),
  };
}
