import { gauge, type ModuleMetrics } from '../../core/readings/metrics.ts';
import type { UserSession } from './session.schema.ts';

/** Of the window in front nothing is ever exported. */
export const sessionMetrics: ModuleMetrics<UserSession> = {
  read: ({ idle, locked, on_battery, lid_closed }) => [
    gauge('hostler_session_idle', 'Whether nobody has used keyboard or pointer for a while', idle),
    gauge('hostler_session_locked', 'Whether the screen is locked', locked),
    gauge('hostler_session_on_battery', 'Whether the machine runs on battery', on_battery),
    gauge('hostler_session_lid_closed', 'Whether the lid is closed', lid_closed),
  ],
};
