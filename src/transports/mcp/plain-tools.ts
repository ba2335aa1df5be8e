import type { Given } from '../../core/agent.ts';
import { followsRule, type PlainRule } from '../../lib/plain-rule.ts';
import { isObject } from '../../lib/values.ts';
import { plainTools } from './plain-tools.generated.ts';
import { choicesMark, type ToolSchemas } from './plain-tools.types.ts';

/** null: they depend on the settings, or the tool is not one of ours. */
export function plainSchemas(tool: string, choices: readonly string[]): ToolSchemas | null {
  const known = plainTools.get(tool);
  if (known === undefined) return null;
  return {
    inputSchema: Object.fromEntries(
      Object.entries(known.inputSchema).map(([key, value]) => [key, withChoices(value, choices)]),
    ),
    outputSchema: known.outputSchema,
  };
}

/** The arguments with their defaults; null: only the schema can check them. */
export function plainArguments(tool: string, choices: readonly string[], words: unknown = {}): Given | null {
  const fields = plainTools.get(tool)?.fields;
  if (fields === undefined || !isObject(words)) return null;
  if (Object.keys(words).some((name) => !Object.hasOwn(fields, name))) return null;
  const given: Given = {};
  for (const [name, { rule, optional, default: usual }] of Object.entries(fields)) {
    const value = words[name];
    if (value === undefined) {
      if (usual !== undefined) given[name] = usual;
      else if (optional !== true) return null;
      continue;
    }
    if (rule === undefined || !followsRule(ruleWith(rule, choices), value)) return null;
    given[name] = value;
  }
  return given;
}

const ruleWith = (rule: PlainRule, choices: readonly string[]): PlainRule =>
  rule.kind === 'one' && rule.of[0] === choicesMark ? { kind: 'one', of: choices } : rule;

function withChoices(value: unknown, choices: readonly string[]): unknown {
  if (Array.isArray(value)) return value[0] === choicesMark ? choices : value;
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withChoices(inner, choices)]));
}
