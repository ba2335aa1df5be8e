import type { GetOverviewOutput } from './get-overview.schema.ts';

type Facts = Pick<GetOverviewOutput, 'cpu' | 'memory' | 'battery' | 'disks' | 'pending_reboot'> & {
  failed: number;
  /** Problems of drives and arrays, in sentences. */
  trouble: readonly string[];
};

/** The module disks has the rest. */
const maxTrouble = 10;

/** What an administrator of the machine would point out. */
export function warningsOf({ cpu, memory, battery, disks, pending_reboot, failed, trouble }: Facts): string[] {
  const warnings: string[] = trouble.slice(0, maxTrouble);
  for (const { mount, used_percent, free_gb } of disks)
    if (used_percent >= 90)
      warnings.push(`The disk at ${JSON.stringify(mount)} is ${used_percent} % full; ${free_gb} GB free`);
  if ((memory?.used_percent ?? 0) >= 90) warnings.push(`Memory is ${memory?.used_percent} % used`);
  if ((memory?.swap_used_percent ?? 0) >= 80) warnings.push(`Swap is ${memory?.swap_used_percent} % used`);
  if ((cpu?.usage_percent ?? 0) >= 90) warnings.push(`The processor is ${cpu?.usage_percent} % busy`);
  if ((cpu?.temperature_c ?? 0) >= 90) warnings.push(`The processor temperature is ${cpu?.temperature_c} °C`);
  if ((battery?.percent ?? 100) <= 15 && battery?.charging === false)
    warnings.push(`The battery has ${battery.percent} % left and is not charging`);
  if (failed > 0) warnings.push(failed === 1 ? '1 unit has failed' : `${failed} units have failed`);
  if (pending_reboot === true) warnings.push('A restart would complete an update');
  return warnings;
}
