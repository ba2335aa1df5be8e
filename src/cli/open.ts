import { createLoginCodes } from '../access/login.ts';
import { type PerPlatform, requireFor } from '../core/platform.ts';
import { messageOf } from '../lib/errors.ts';
import type { CliContext } from './context.ts';
import { findService } from './running.ts';

const openers: PerPlatform<(target: string) => Promise<void>> = {
  linux: async () => {
    const { openOnDesktop } = await import('../host/linux/desktop/open-target.ts');
    return (host) => (target) => openOnDesktop(host, target);
  },
};

/** The code goes into the fragment of the address, which browsers send to nobody; the page hands it in and gets its token. */
export async function openDashboard(
  { host, print, command }: CliContext,
  { print: onlyPrint = false }: { print?: boolean },
): Promise<void> {
  const service = await findService(host);
  if (service === null) throw new Error(`The service does not run; start it with "${command} serve"`);
  const address = `${service.base}/`;
  const withCode = () => `${address}#code=${createLoginCodes(host).issue()}`;
  if (onlyPrint) return print(withCode());
  try {
    const open = await requireFor(host, openers, 'Starting the browser');
    await open(withCode());
  } catch (error) {
    const other = `Open ${address} yourself, or the address that "${command} open --print" prints`;
    throw new Error(`The browser could not be started: ${messageOf(error)}. ${other}`);
  }
  print(`The dashboard is open in the browser: ${address}`);
}
