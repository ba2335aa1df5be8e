import { addTarget, listTargets, removeTarget } from '../alerts/targets/change-targets.ts';
import { targetsFile } from '../alerts/targets/target-store.ts';
import { openAlertTarget, shownTarget } from '../alerts/targets/targets.ts';
import { messageOf } from '../lib/errors.ts';
import { openOwnSettings, owner } from './command-settings.ts';
import type { CliContext } from './context.ts';
import { UsageError } from './exit.ts';
import { createPrompt } from './terminal.prompt.ts';

/** For the owner of this machine's files, as the commands below: no running service is needed. */
export async function printAlertTargets({ host, answer, print, table, command }: CliContext): Promise<void> {
  const settings = await openOwnSettings(host);
  const rows = await listTargets(host, settings.current().alerts);
  settings.close();
  await answer(rows, () => {
    if (rows.length === 0) return print(`No targets are configured; "${command} alerts add NAME" adds one.`);
    table(
      ['ID', 'URL', 'RULES'],
      rows.map(({ id, url, rules: used }) => [id, url ?? 'missing', used.join(', ') || '–']),
    );
  });
}

export async function addAlertTarget({ host, answer, command }: CliContext, id: string): Promise<void> {
  const settings = await openOwnSettings(host);
  const { targets } = settings.current().alerts;
  const url = createPrompt().secret('URL, such as ntfys://ntfy.sh/TOPIC (not shown): ').trim();
  const opened = await openAlertTarget(url).catch((error) => {
    throw new UsageError(messageOf(error));
  });
  await addTarget(host, targets, { id, url }, (changed) => settings.update({ alerts: { targets: changed } }, owner));
  settings.close();
  const shown = shownTarget(opened);
  await answer(
    { id, url: shown },
    `Alerts can be sent to ${id}, ${shown}. Its URL is in ${targetsFile(host)}.\nSend a test with "${command} alerts test ${id}", and name it in "notify" of the rules.`,
  );
}

export async function removeAlertTarget({ host, answer }: CliContext, id: string): Promise<void> {
  const settings = await openOwnSettings(host);
  const { targets } = settings.current().alerts;
  await removeTarget(host, targets, id, (rest) => settings.update({ alerts: { targets: rest } }, owner));
  settings.close();
  await answer({ id }, `The target ${id} and its URL were removed.`);
}
