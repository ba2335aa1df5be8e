import type { Reason } from '../core/reasons.ts';
import type { ToolContext } from '../core/tool.ts';
import type { Battery } from '../features/battery/battery.schema.ts';
import type { Cpu } from '../features/cpu/cpu.schema.ts';
import type { Disks } from '../features/disks/disks.schema.ts';
import type { Media } from '../features/media/media.schema.ts';
import type { Memory } from '../features/memory/memory.schema.ts';
import type { Networks } from '../features/networks/networks.schema.ts';
import type { Process } from '../features/processes/processes.schema.ts';
import type { System } from '../features/system/system.schema.ts';
import { ServiceError } from '../lib/errors.ts';

export interface Payloads {
  battery: Battery;
  cpu: Cpu;
  disks: Disks;
  media: Media;
  memory: Memory;
  networks: Networks;
  processes: Process[];
  system: System;
}

/** The payload of a module, and the reasons for its nulls. */
export interface ModuleReading<T> {
  payload: T;
  reasons: Reason[];
}

export async function moduleReading<K extends keyof Payloads>(
  { read }: Pick<ToolContext, 'read'>,
  module: K,
): Promise<ModuleReading<Payloads[K]>> {
  const { payload, reasons } = await read(module);
  // Payloads match their schemas, which the tests of the modules check.
  return { payload: payload as Payloads[K], reasons };
}

/** null: the module is unavailable, with the reason. */
export async function moduleReadingOrNull<K extends keyof Payloads>(
  context: Pick<ToolContext, 'read'>,
  module: K,
): Promise<ModuleReading<Payloads[K] | null>> {
  try {
    return await moduleReading(context, module);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error;
    return { payload: null, reasons: [{ field: null, reason: error.message, mendable: true }] };
  }
}
