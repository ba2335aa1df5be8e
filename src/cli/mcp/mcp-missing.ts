import type { Scope } from '../../access/scopes.ts';
import { actions, settingsCatalogue } from '../../features/index.ts';
import { createLog } from '../../lib/log.ts';
import { openSettings } from '../../settings/settings.ts';
import type { CliContext } from '../context.ts';

/** What the settings still lack before an agent can use these scopes, one line for each tool. */
export async function explainMissing({ host, complain }: CliContext, granted: readonly Scope[]): Promise<void> {
  const log = createLog((line) => process.stderr.write(line), 'ERROR');
  const settings = (await openSettings(settingsCatalogue, host, log)).current();
  const tools = actions.filter(({ scopes }) => scopes.some((scope) => granted.includes(scope)));
  const sentences = tools.map(({ agent }) => agent?.tool.missing?.(settings) ?? null);
  for (const sentence of new Set(sentences)) if (sentence !== null) complain(sentence);
}
