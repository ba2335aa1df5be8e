import { z } from 'zod';
import { defaultSettings, settingsCatalogue } from '../src/features/index.ts';
import { schemaFieldsOf } from '../src/transports/http/openapi/fields.ts';

/** Every setting with its meaning and default, for the repository. */
export async function settingsMarkdown(): Promise<string> {
  const rows = schemaFieldsOf({ ...z.toJSONSchema(await settingsCatalogue.schema()) }, {}).filter(
    ([, , meaning]) => meaning !== '',
  );
  const lines = rows.map(
    ([name = '', type = '', meaning = '']) => `| \`${name}\` | ${type} | ${meaning} | ${defaultOf(name)} |`,
  );
  return `<!-- Made by "npm run generate" from the schema. Do not edit. -->

# Settings

In \`settings.json\` of the configuration directory; see [configuration.md](configuration.md). \`modules\` has one entry per module: \`{"cpu": {"interval": 500}}\`.

| Setting | Type | Meaning | Default |
|---|---|---|---|
${lines.join('\n')}
`;
}

function defaultOf(name: string): string {
  const value = name
    .split('.')
    .reduce<unknown>(
      (inner, key) =>
        typeof inner === 'object' && inner !== null
          ? Object.entries(inner).find(([own]) => own === key)?.[1]
          : undefined,
      defaultSettings,
    );
  return value === undefined ? '' : `\`${JSON.stringify(value)}\``;
}
