import { privatePath, secretPrefix } from '../transports/glances/secret-path.ts';
import { reachableAt } from './access/pair-code.ts';
import { openOwnSettings } from './command-settings.ts';
import type { CliContext } from './context.ts';
import { requireService } from './running-service.ts';

/** For the owner of this machine's files alone: no other interface has it. */
export async function printGlancesUrl(
  { host, complain, answer, command }: CliContext,
  { new: isNew = false }: { new?: boolean },
): Promise<void> {
  const { info } = await requireService({ host, command });
  const settings = await openOwnSettings(host);
  const { glances } = settings.current();
  settings.close();
  const secret = await privatePath(host, isNew);
  const urls = reachableAt(host.network.addresses(), info).map((base) => `${base}${secretPrefix}${secret}`);
  await answer({ urls }, urls.join('\n'));
  const missing = (['enabled', 'privatePath'] as const).filter((key) => !glances[key]);
  if (missing.length === 0) return;
  const commands = missing.map((key) => `"${command} settings set glances.${key} true"`).join(' and ');
  complain(`The address does not work yet: run ${commands}.`);
}
