import { version } from '../app/version.ts';
import type { CliContext } from './context.ts';
import { findService } from './running-service.ts';

export async function printVersion({ host, print }: CliContext, { json = false }: { json?: boolean }): Promise<void> {
  const running = (await findService(host).catch(() => null))?.version ?? null;
  if (json) return print(JSON.stringify({ version, running }, null, 2));
  print(version);
  if (running !== null && running !== version)
    print(`The running service has version ${running}: restart it to use ${version}.`);
}
