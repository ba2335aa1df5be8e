import { shownText } from '../lib/printable-text.ts';
import type { Settings } from '../settings/settings.schema.ts';
import type { ActionDefinition } from './action.ts';

/** What an action does, for the history: `Build the site`, `Restarts the machine`. The input may not be checked yet. */
export function actionInWords(
  { description, title }: Pick<ActionDefinition, 'description' | 'title'>,
  input: unknown,
  settings: Settings,
): string {
  const given = typeof input === 'object' && input !== null ? { ...input } : {};
  const [clause = ''] = description.split(/[;:,(]/);
  return shownText(title?.(given, settings) ?? clause.trim(), mostCharacters);
}

/** `Build the site, by Home Assistant`. */
export const orderInWords = (what: string, tokenName: string): string => `${what}, by ${shownText(tokenName, 64)}`;

const mostCharacters = 120;
