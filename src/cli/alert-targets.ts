import { readTargetUrls, targetsFile, writeTargetUrl } from '../alerts/targets/target-store.ts';
import { openAlertTarget, shownTarget } from '../alerts/targets/targets.ts';
import { settingsCatalogue } from '../features/index.ts';
import { messageOf } from '../lib/errors.ts';
import { createLog } from '../lib/log.ts';
import { table } from '../lib/text-table.ts';
import { openSettings } from '../settings/settings.ts';
import type { CliContext } from './context.ts';
import { UsageError } from './exit.ts';
import { createPrompt } from './terminal.prompt.ts';

interface TargetFlags {
  json?: boolean;
}

const openAlertSettings = ({ host, complain }: CliContext) =>
  openSettings(settingsCatalogue, host, createLog(complain, 'WARN'));

/** For the owner of this machine's files alone, as the commands below: no other interface knows the URLs. */
export async function printAlertTargets(context: CliContext, { json = false }: TargetFlags): Promise<void> {
  const { host, print, command, screen } = context;
  const settings = await openAlertSettings(context);
  const { targets, rules } = settings.current().alerts;
  settings.close();
  const urls = await readTargetUrls(host);
  const rows = await Promise.all(
    targets.map(async ({ id }) => {
      const url = urls.get(id);
      const opened = url === undefined ? null : await openAlertTarget(url).then(shownTarget, () => 'not valid');
      return { id, url: opened, rules: rules.filter(({ notify }) => notify.includes(id)).map((rule) => rule.id) };
    }),
  );
  if (json) return print(JSON.stringify(rows, null, 2));
  if (rows.length === 0) return print(`No targets are configured; "${command} alerts add NAME" adds one.`);
  print(
    table(
      ['ID', 'URL', 'RULES'],
      rows.map(({ id, url, rules: used }) => [id, url ?? 'missing', used.join(', ') || '–']),
      screen(),
    ),
  );
}

export async function addAlertTarget(context: CliContext, id: string, { json = false }: TargetFlags): Promise<void> {
  const { host, print, command } = context;
  const settings = await openAlertSettings(context);
  const { targets } = settings.current().alerts;
  const isNew = !targets.some((target) => target.id === id);
  const url = createPrompt().secret('URL, such as ntfys://ntfy.sh/TOPIC (not shown): ').trim();
  const opened = await openAlertTarget(url).catch((error) => {
    throw new UsageError(messageOf(error));
  });
  const ids = targets.map((target) => target.id);
  // A running service uses a target as soon as the settings have it.
  await writeTargetUrl(host, id, url, [...ids, id]);
  try {
    if (isNew) await settings.update({ alerts: { targets: [...targets, { id }] } }, { local: true, cli: true });
  } catch (error) {
    await writeTargetUrl(host, id, null, ids);
    throw error;
  }
  settings.close();
  if (json) return print(JSON.stringify({ id, url: shownTarget(opened) }, null, 2));
  print(`Alerts can be sent to ${id}, ${shownTarget(opened)}. Its URL is in ${targetsFile(host)}.`);
  print(`Send a test with "${command} alerts test ${id}", and name it in "notify" of the rules.`);
}

export async function removeAlertTarget(context: CliContext, id: string, { json = false }: TargetFlags): Promise<void> {
  const settings = await openAlertSettings(context);
  const { targets } = settings.current().alerts;
  const rest = targets.filter((target) => target.id !== id);
  if (rest.length === targets.length) throw new Error(`There is no target ${JSON.stringify(id)}`);
  // Rejected while a rule names it.
  await settings.update({ alerts: { targets: rest } }, { local: true, cli: true });
  settings.close();
  await writeTargetUrl(
    context.host,
    id,
    null,
    rest.map((target) => target.id),
  );
  context.print(json ? JSON.stringify({ id }, null, 2) : `The target ${id} and its URL were removed.`);
}
