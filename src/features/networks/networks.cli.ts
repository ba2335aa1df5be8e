import type { CliContext } from '../../cli/context.ts';
import { UsageError } from '../../cli/exit.ts';
import { requireService } from '../../cli/running-service.ts';

interface WakeFlags {
  broadcast?: string;
  port?: string;
  json?: boolean;
}

export async function wakeMachine(
  { host, print, command }: CliContext,
  mac: string,
  { broadcast, port, json = false }: WakeFlags,
): Promise<void> {
  if (port !== undefined && !/^\d{1,5}$/.test(port))
    throw new UsageError(`--port must be a number, but it is ${JSON.stringify(port)}`);
  const service = await requireService({ host, command });
  const done = await service.perform('network.wake', {
    mac,
    ...(broadcast !== undefined && { broadcast }),
    ...(port !== undefined && { port: Number(port) }),
  });
  print(json ? JSON.stringify(done, null, 2) : done.message);
}
