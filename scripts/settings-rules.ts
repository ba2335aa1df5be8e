import { z } from 'zod';
import { settingsCatalogue } from '../src/features/index.ts';
import type { PlainRule } from '../src/lib/plain-rule.ts';
import type { PlainRules } from '../src/settings/plain-settings.ts';

/** The schema refuses a user in this address by a function, which no table can hold. These addresses have none. */
const subsets: PlainRules = {
  'mqtt.url': {
    kind: 'either',
    of: [
      { kind: 'one', of: [''] },
      { kind: 'url', max: 2048, protocol: '^(?:mqtts?|wss?)$', pattern: '^[^@]*$' },
    ],
  },
};

/** Rules for the settings that consist of plain values; a schema with a function in it gets none. */
export async function plainRulesSource(): Promise<string> {
  const rules = { ...rulesOf(await settingsCatalogue.schema(), ''), ...subsets };
  const lines = Object.entries(rules).map(([key, rule]) => `  ${JSON.stringify(key)}: ${JSON.stringify(rule)},\n`);
  return `// Made by "npm run generate" from the schema of the settings. Do not edit.
import type { PlainRules } from './plain-settings.ts';

export const plainRules: PlainRules = {
${lines.join('')}};
`;
}

function rulesOf(schema: z.core.$ZodType, key: string): Record<string, PlainRule> {
  if (!(schema instanceof z.ZodObject)) {
    const rule = ruleOf(schema);
    return rule === null ? {} : { [key]: rule };
  }
  if (checksOf(schema).length > 0) return {};
  const inner = Object.entries<z.core.$ZodType>(schema.shape);
  return Object.assign({}, ...inner.map(([name, each]) => rulesOf(each, key === '' ? name : `${key}.${name}`)));
}

/** null: no rule expresses this schema. */
export function ruleOf(schema: z.core.$ZodType): PlainRule | null {
  if (schema instanceof z.ZodBoolean) return hasOnly(schema) ? { kind: 'boolean' } : null;
  if (schema instanceof z.ZodEnum) return hasOnly(schema) ? { kind: 'one', of: schema.options } : null;
  if (schema instanceof z.ZodLiteral) return hasOnly(schema) ? { kind: 'one', of: [...schema.values] } : null;
  if (schema instanceof z.ZodUnion) return hasOnly(schema) ? eitherOf(schema.options) : null;
  if (schema instanceof z.ZodArray) return listOf(schema);
  if (schema instanceof z.ZodNumber) return schema.isInt ? intOf(schema) : numberOf(schema);
  if (schema instanceof z.ZodURL) return urlOf(schema);
  return schema instanceof z.ZodString ? textOf(schema) : null;
}

function intOf(schema: z.ZodNumber): PlainRule | null {
  const { minValue: min, maxValue: max } = schema;
  const isPlain = schema.isInt && hasOnly(schema, 'greater_than', 'less_than', 'number_format');
  return isPlain && min !== null && max !== null ? { kind: 'int', min, max } : null;
}

function numberOf(schema: z.ZodNumber): PlainRule | null {
  const limits = checksOf(schema);
  const isPlain = hasOnly(schema, 'greater_than', 'less_than') && limits.every(({ inclusive }) => inclusive === true);
  const { minValue: min, maxValue: max } = schema;
  if (!isPlain || min === null || !Number.isFinite(min)) return null;
  return { kind: 'number', min, ...(max === null || !Number.isFinite(max) ? {} : { max }) };
}

function textOf(schema: z.ZodString): PlainRule | null {
  if (!hasOnly(schema, 'min_length', 'max_length', 'string_format')) return null;
  const patterns = checksOf(schema).flatMap(({ format, pattern }) =>
    format === 'regex' && pattern instanceof RegExp && pattern.flags === '' ? [pattern.source] : [],
  );
  if (patterns.length !== checksOf(schema).filter(({ check }) => check === 'string_format').length) return null;
  if (patterns.length > 1) return null;
  return {
    kind: 'text',
    ...(schema.minLength === null ? {} : { min: schema.minLength }),
    ...(schema.maxLength === null ? {} : { max: schema.maxLength }),
    ...(patterns[0] === undefined ? {} : { pattern: patterns[0] }),
  };
}

function urlOf(schema: z.ZodURL): PlainRule | null {
  const { protocol, hostname, normalize } = schema._zod.def;
  const isPlain = hasOnly(schema, 'max_length', 'string_format') && hostname === undefined && normalize !== true;
  if (!isPlain || !(protocol instanceof RegExp) || schema.maxLength === null) return null;
  return { kind: 'url', max: schema.maxLength, protocol: protocol.source };
}

function listOf(schema: z.ZodArray): PlainRule | null {
  const { maximum } = checksOf(schema).find(({ check }) => check === 'max_length') ?? {};
  const item = ruleOf(schema.element);
  if (item === null || typeof maximum !== 'number' || !hasOnly(schema, 'max_length')) return null;
  return { kind: 'list', max: maximum, item };
}

function eitherOf(options: readonly z.core.$ZodType[]): PlainRule | null {
  const rules = options.map(ruleOf);
  const known = rules.filter((rule) => rule !== null);
  return known.length === rules.length ? { kind: 'either', of: known } : null;
}

type Check = Record<string, unknown> & { check?: unknown };

const checksOf = (schema: z.core.$ZodType): Check[] =>
  (schema._zod.def.checks ?? []).map((each): Check => ({ ...each._zod.def }));

const hasOnly = (schema: z.core.$ZodType, ...known: string[]) =>
  checksOf(schema).every(({ check }) => known.includes(String(check)));
