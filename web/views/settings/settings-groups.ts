import { type FormSchema, titleOf } from '../../components/form/schema-text.ts';
import { matchOf, wordsOf } from '../../shell/search-words.ts';

export interface SettingsGroup {
  id: string;
  title: string;
  sections: readonly string[];
}

/** The pages of the settings. A section that is not listed is on the last one. */
export const settingsGroups: readonly SettingsGroup[] = [
  {
    id: 'general',
    title: 'General',
    sections: ['autostart', 'systemTray', 'logLevel', 'logFormat', 'hotkeys', 'releases'],
  },
  { id: 'access', title: 'Network and access', sections: ['server', 'security', 'pairing', 'discovery'] },
  {
    id: 'actions',
    title: 'Allowed actions',
    sections: ['commands', 'services', 'containers', 'screen', 'media', 'files'],
  },
  { id: 'alerts', title: 'Alerts and history', sections: ['alerts', 'history'] },
  { id: 'agents', title: 'Agents', sections: ['mcp'] },
  {
    id: 'connections',
    title: 'Home Assistant and others',
    sections: ['mqtt', 'metrics', 'otlp', 'glances', 'dashboard'],
  },
  { id: 'readings', title: 'Readings', sections: ['custom', 'disks', 'session', 'chat', 'modules'] },
];

/** The page of a section, or of a setting by its dotted path. */
export function groupOf(path: string): SettingsGroup | undefined {
  const [section = ''] = path.split('.');
  return settingsGroups.find(({ sections }) => sections.includes(section)) ?? settingsGroups.at(-1);
}

export function sectionsOf(group: SettingsGroup, schema: FormSchema): [string, FormSchema][] {
  const all = Object.entries(schema.properties ?? {}).filter(([name]) => groupOf(name) === group);
  const place = (name: string) => (group.sections.includes(name) ? group.sections.indexOf(name) : all.length);
  return all.toSorted(([a], [b]) => place(a) - place(b));
}

/** The sections with only those settings that a search finds. */
export function found(schema: FormSchema, wanted: string): [string, FormSchema][] {
  const words = wordsOf(wanted);
  return Object.entries(schema.properties ?? {}).flatMap(([section, field]): [string, FormSchema][] => {
    const heading = `${titleOf(section, field)} ${field.description ?? ''}`;
    const isFound = (path: string, each: FormSchema) =>
      matchOf(`${heading} ${path} ${titleOf(path, each)} ${each.description ?? ''}`.toLowerCase(), words) !== null;
    if (field.properties === undefined) return isFound(section, field) ? [[section, field]] : [];
    const kept = Object.entries(field.properties).filter(([key, each]) => isFound(`${section}.${key}`, each));
    return kept.length === 0 ? [] : [[section, { ...field, properties: Object.fromEntries(kept) }]];
  });
}
