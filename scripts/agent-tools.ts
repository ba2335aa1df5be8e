import { z } from 'zod';
import { agentKit } from '../src/app/transports.ts';
import { actions, defaultSettings } from '../src/features/index.ts';
import type { Settings } from '../src/settings/settings.schema.ts';
import { choicesMark, type PlainField, type PlainTool } from '../src/transports/mcp/plain-tools.types.ts';
import { schemasOf } from '../src/transports/mcp/server.catalogue.schemas.ts';
import { ruleOf } from './settings-rules.ts';

/** The schemas of the tools for agents as constants. Those that depend on the settings are left out. */
export async function plainToolsSource(): Promise<string> {
  const tools: Record<string, PlainTool> = {};
  for (const { name, input, output } of agentKit.tools) {
    const fields = fieldsOf(await input([choicesMark]));
    tools[name] = {
      ...(await schemasOf(() => input([choicesMark]), output)),
      ...(fields === null ? {} : { fields }),
    };
  }
  for (const tool of new Set(actions.flatMap(({ agent }) => agent?.tool ?? []))) {
    const facts = watchedFacts();
    const schemas = await schemasOf(() => tool.input(facts), tool.output);
    if (!facts.usedSettings()) tools[tool.name] = schemas;
  }
  const lines = Object.entries(tools).map((entry) => `  ${JSON.stringify(entry)},`);
  return `// Made by "npm run generate" from the schemas of the tools. Do not edit.
import type { PlainTool } from './plain-tools.types.ts';

export const plainTools: ReadonlyMap<string, PlainTool> = new Map<string, PlainTool>([
${lines.join('\n')}
]);
`;
}

function watchedFacts() {
  let used = false;
  return {
    choices: [choicesMark],
    get settings(): Settings {
      used = true;
      return defaultSettings;
    },
    usedSettings: () => used,
  };
}

function fieldsOf(schema: z.ZodType): Record<string, PlainField> | null {
  if (!(schema instanceof z.ZodObject) || !(schema._zod.def.catchall instanceof z.ZodNever)) return null;
  const fields = Object.entries<z.core.$ZodType>(schema.shape);
  return Object.fromEntries(fields.map(([name, field]) => [name, fieldOf(field)]));
}

function fieldOf(schema: z.core.$ZodType): PlainField {
  if (schema instanceof z.ZodOptional) return { ...fieldOf(schema.unwrap()), optional: true };
  if (schema instanceof z.ZodDefault) return { ...fieldOf(schema.unwrap()), default: schema._zod.def.defaultValue };
  const rule = ruleOf(schema);
  return rule === null ? {} : { rule };
}
