import { addTarget, listTargets, removeTarget } from '../alerts/targets/change-targets.ts';
import { targetsFile } from '../alerts/targets/target-store.ts';
import { openAlertTarget, shownTarget } from '../alerts/targets/targets.ts';
import { messageOf } from '../lib/errors.ts';
import { openOwnSettings, owner } from './command-settings.ts';
import type { CliContext } from './context.ts';
import { UsageError } from './exit.ts';
import { createPrompt } from './terminal.prompt.ts';

interface TargetFlags {
  json?: boolean;
}

/** For the owner of this machine's files, as the commands below: no running service is needed. */
export async function printAlertTargets(context: CliContext, { json = false }: TargetFlags): Promise<void> {
  const { host, print, command } = context;
  const settings = await openOwnSettings(context.host);
  const rows = await listTargets(host, settings.current().alerts);
  settings.close();
  if (json) return print(JSON.stringify(rows, null, 2));
  if (rows.length === 0) return print(`No targets are configured; "${command} alerts add NAME" adds one.`);
  context.table(
    ['ID', 'URL', 'RULES'],
    rows.map(({ id, url, rules: used }) => [id, url ?? 'missing', used.join(', ') || '–']),
  );
}

export async function addAlertTarget(context: CliContext, id: string, { json = false }: TargetFlags): Promise<void> {
  const { host, print, command } = context;
  const settings = await openOwnSettings(context.host);
  const { targets } = settings.current().alerts;
  const url = createPrompt().secret('URL, such as ntfys://ntfy.sh/TOPIC (not shown): ').trim();
  const opened = await openAlertTarget(url).catch((error) => {
    throw new UsageError(messageOf(error));
  });
  await addTarget(host, targets, { id, url }, (changed) => settings.update({ alerts: { targets: changed } }, owner));
  settings.close();
  if (json) return print(JSON.stringify({ id, url: shownTarget(opened) }, null, 2));
  print(`Alerts can be sent to ${id}, ${shownTarget(opened)}. Its URL is in ${targetsFile(host)}.`);
  print(`Send a test with "${command} alerts test ${id}", and name it in "notify" of the rules.`);
}

export async function removeAlertTarget(context: CliContext, id: string, { json = false }: TargetFlags): Promise<void> {
  const settings = await openOwnSettings(context.host);
  const { targets } = settings.current().alerts;
  await removeTarget(context.host, targets, id, (rest) => settings.update({ alerts: { targets: rest } }, owner));
  settings.close();
  context.print(json ? JSON.stringify({ id }, null, 2) : `The target ${id} and its URL were removed.`);
}
