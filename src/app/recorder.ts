import { loadFor, type PerPlatform } from '../core/platform.ts';
import type { Host } from '../host/host.ts';
import type { MachineRecorder } from '../host/recording/recording.contract.ts';

const platforms: PerPlatform<MachineRecorder, [string]> = {
  linux: async () => (await import('../host/linux/recording/record-machine.ts')).createMachineRecorder,
};

/** null: machines of this platform cannot be recorded. `version`: of Hostler. */
export async function openRecorder(host: Host, version: string): Promise<MachineRecorder | null> {
  return (await loadFor(host, platforms))?.(version) ?? null;
}
