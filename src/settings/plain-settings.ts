import { NewerFile } from '../lib/file-version.ts';
import { followsRule, type PlainRule } from '../lib/plain-rule.ts';
import { isObject } from '../lib/values.ts';
import { mergeSettings } from './change.ts';
import type { MachineSettings } from './locks.ts';
import type { Settings } from './settings.schema.ts';
import { migrateSettings, versionKey } from './settings-version.ts';

/** By dotted key. A setting without a rule needs its schema. */
export type PlainRules = Readonly<Record<string, PlainRule>>;

/**
 * The settings of an ordinary file: strict JSON with valid values of known settings, and nothing locked. null: only the full check can tell.
 * The full check loads the schema library, which then stays resident: 9 MiB (`bench/attribution.ts`).
 */
export function readPlainSettings(
  rules: PlainRules,
  text: string,
  { defaults, locks }: MachineSettings,
  file: string,
): Settings | null {
  if (locks !== null) return null;
  const parsed = parsePlain(text, file);
  if (parsed === null) return null;
  const { $schema: _, [versionKey]: __, ...given } = parsed;
  const isPlain = areAccepted(rules, '', given);
  // The plain rules imply the schema.
  return isPlain ? (mergeSettings(defaults, given) as Settings) : null;
}

function parsePlain(text: string, file: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? migrateSettings(value, file).value : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof NewerFile) return null;
    throw error;
  }
}

function areAccepted(rules: PlainRules, before: string, given: Record<string, unknown>): boolean {
  return Object.entries(given).every(([name, value]) => !name.includes('.') && isAccepted(rules, before + name, value));
}

function isAccepted(rules: PlainRules, key: string, value: unknown): boolean {
  const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
  if (rule !== undefined) return followsRule(rule, value);
  const isSection = Object.keys(rules).some((each) => each.startsWith(`${key}.`));
  return isSection && isObject(value) && areAccepted(rules, `${key}.`, value);
}
