import type { Scope } from '../../access/scopes.ts';
import { actions } from '../../features/index.ts';
import { openOwnSettings } from '../command-settings.ts';
import type { CliContext } from '../context.ts';

/** What the settings still lack before an agent can use these scopes, one line for each tool. */
export async function explainMissing({ host, complain }: CliContext, granted: readonly Scope[]): Promise<void> {
  const settings = (await openOwnSettings(host, 'ERROR')).current();
  const tools = actions.filter(({ scopes }) => scopes.some((scope) => granted.includes(scope)));
  const sentences = tools.map(({ agent }) => agent?.tool.missing?.(settings) ?? null);
  for (const sentence of new Set(sentences)) if (sentence !== null) complain(sentence);
}
