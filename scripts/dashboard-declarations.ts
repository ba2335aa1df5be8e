import path from 'node:path';
import { features, scopes, settingsCatalogue } from '../src/features/index.ts';

const notice = '// Made by "npm run generate" from the features. Do not edit.\n';

/** The scopes with their texts, for the dashboard: also pages that load before anyone signs in show them. */
export function dashboardScopesSource(): string {
  const shown = scopes.all.map((scope) => {
    const { label, description } = scopes.of(scope);
    return [scope, { label, description }] as const;
  });
  return `${notice}export const scopes = ${JSON.stringify(Object.fromEntries(shown), null, 2)} as const;\n`;
}

/** The settings for the dashboard, which checks entries with the same schemas as the service. */
export async function dashboardSettingsSource(): Promise<string> {
  const declared = await Promise.all(
    features.flatMap(({ name, settings }) =>
      Object.entries(settings).map(([section, { schema }]) => schemaFile(name, section, schema)),
    ),
  );
  const imports = declared.map(({ file, exported }) => `import { ${exported} } from '../../${file}';\n`);
  const sections = declared.map(({ section, exported }) => `    ${section}: ${exported},\n`);
  const { order, protection } = settingsCatalogue;
  return `${notice}${imports.join('')}import { createSettingsSchema } from '../../src/settings/settings.schema.ts';

export const settingsSchema = createSettingsSchema({
  order: ${JSON.stringify(order)},
  mqttScopes: ${JSON.stringify(scopes.mqtt)},
  sections: {
${sections.join('')}  },
});

export const protection: Record<'remotelyChangeable' | 'ownerOnly' | 'localOnly', readonly string[]> = ${JSON.stringify(protection, null, 2)};
`;
}

/** Where the schema of a section is, so that the dashboard can import it. */
async function schemaFile(feature: string, section: string, load: () => Promise<unknown>) {
  const file = `src/features/${feature}/${feature}.settings.schema.ts`;
  const exported = `${section}SettingsSchema`;
  const found: Record<string, unknown> = await import(path.resolve(import.meta.dirname, '..', file));
  if (found[exported] !== (await load())) throw new Error(`${file} does not export ${exported}`);
  return { section, file, exported };
}
