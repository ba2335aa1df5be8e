import type { ServiceUnit } from '../services.schema.ts';
import type { ServiceState } from './scm.ts';

/** The state of a Windows service in the terms of systemd, and in its own. */
type ServiceStateWords = Pick<ServiceUnit, 'active_state' | 'sub_state'>;

const states: Partial<Record<number, ServiceStateWords>> = {
  1: { active_state: 'inactive', sub_state: 'stopped' },
  2: { active_state: 'activating', sub_state: 'start pending' },
  3: { active_state: 'deactivating', sub_state: 'stop pending' },
  4: { active_state: 'active', sub_state: 'running' },
  5: { active_state: 'activating', sub_state: 'continue pending' },
  6: { active_state: 'deactivating', sub_state: 'pause pending' },
  7: { active_state: 'inactive', sub_state: 'paused' },
};
/** By start type: 2 automatic, 3 manual, 4 disabled. */
export const enabledWords: Partial<Record<number, string>> = { 2: 'enabled', 3: 'manual', 4: 'disabled' };
const STOPPED = 1;
const { SUCCESS, SERVICE_SPECIFIC, NEVER_STARTED } = { SUCCESS: 0, SERVICE_SPECIFIC: 1066, NEVER_STARTED: 1077 };

type Ending = Pick<ServiceState, 'state' | 'exitCode' | 'specificCode'>;

/** A service that stopped with an error has failed. */
export function serviceStateWords(service: Ending): ServiceStateWords {
  const problem = serviceError(service);
  if (problem !== null) return { active_state: 'failed', sub_state: problem };
  return states[service.state] ?? { active_state: 'inactive', sub_state: 'unknown' };
}

/** `error 1067`, or `own error 3` for a service-specific code; null: no error. */
function serviceError({ state, exitCode, specificCode }: Ending): string | null {
  if (state !== STOPPED || exitCode === SUCCESS || exitCode === NEVER_STARTED) return null;
  return exitCode === SERVICE_SPECIFIC ? `own error ${specificCode}` : `error ${exitCode}`;
}
