import type { Reasons } from '../../core/reasons.ts';
import { SYSTEM_POWER_STATUS } from '../../host/windows/native/kernel32.structs.ts';
import type { Native } from '../../host/windows/native/native.ts';
import { readStruct } from '../../host/windows/native/structs.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { ServiceError } from '../../lib/errors.ts';
import { shownText } from '../../lib/printable-text.ts';
import type { ProfileControl } from './session.contract.ts';

const plans: Partial<Record<string, string>> = {
  'a1841308-3541-4fab-bc81-f71556f20b4a': 'power-saver',
  '381b4222-f694-41f0-9685-ff5bb260df2e': 'balanced',
  '8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c': 'performance',
  'e9a42b02-d5df-448d-aa00-03f14749eb61': 'performance',
};
/** Power modes, which overlay the balanced plan. */
const overlays: Partial<Record<string, string>> = {
  '961cc777-2547-4f9d-8174-7d86181b8a7a': 'power-saver',
  '3af9b8d9-7c97-431d-ad78-34a8bfea439f': 'performance',
  'ded574b5-45a0-4f42-8737-46345c09c238': 'performance',
};
const planOf: Readonly<Record<string, string>> = {
  'power-saver': 'a1841308-3541-4fab-bc81-f71556f20b4a',
  balanced: '381b4222-f694-41f0-9685-ff5bb260df2e',
  performance: '8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c',
};

/** Machines with modern standby have the balanced plan only. */
export function powerProfilesOf({ powrprof }: Native): string[] {
  if (powrprof.powerPlan() === null) return [];
  return Object.keys(planOf).filter((profile) => powrprof.planName(planOf[profile] ?? '') !== null);
}

export const powerProfileWindows = (host: WindowsHost): ProfileControl => ({
  unavailable: async () =>
    powerProfilesOf(await host.native()).length > 0 ? null : 'This Windows has none of the usual power plans',
  async set(profile) {
    const native = await host.native();
    const choices = powerProfilesOf(native);
    if (!choices.includes(profile))
      throw new ServiceError(
        'invalid',
        `There is no power profile ${JSON.stringify(shownText(profile, 64))}; choose one of: ${choices.join(', ')}`,
      );
    if (!native.powrprof.setPlan(planOf[profile] ?? ''))
      throw new ServiceError('forbidden', 'Windows refused to change the power plan; a policy may forbid it');
    return profile;
  },
});

/** As the schema names it; for a plan of the user, its name. */
export function readPowerProfile({ kernel32, powrprof }: Native, reasons: Reasons): string | null {
  const status = kernel32.powerStatus();
  // The battery saver is on.
  if (status !== null && readStruct(SYSTEM_POWER_STATUS, status).SystemStatusFlag === 1) return 'power-saver';
  const plan = powrprof.powerPlan();
  if (plan === null) {
    reasons.missing('power_profile', 'Windows does not report which power plan is in use');
    return null;
  }
  const usual = plans[plan.id];
  if (usual === 'balanced') return overlays[plan.overlay ?? ''] ?? usual;
  if (usual !== undefined) return usual;
  const name = shownText(powrprof.planName(plan.id) ?? '', 64);
  return name === '' ? plan.id : name;
}
