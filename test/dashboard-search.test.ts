import { describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { descriptionOf, type FormSchema, msPerUnit, rangeOf, summaryOf } from '../web/components/form/schema-text.ts';
import { type PaletteEntry, ranked } from '../web/shell/palette-ranking.ts';
import { isEmptyModule } from '../web/state/empty-module.ts';
import { settingsSchema } from '../web/state/settings.generated.ts';
import { found, groupOf, sectionsOf, settingsGroups } from '../web/views/settings/settings-groups.ts';

const schema = z.toJSONSchema(settingsSchema) as FormSchema;

describe('the search', () => {
  const entry = (kind: PaletteEntry['kind'], title: string, words = '', isLast = false): PaletteEntry => ({
    id: `${kind} ${title}`,
    title,
    kind,
    icon: 'info',
    words,
    isLast,
    run() {},
  });
  const entries = [
    entry('Process', 'cpuhp/0', '14 root', true),
    entry('Process', 'cpufreqd', '400 root'),
    entry('View', 'Containers', 'docker Containers of Docker and Podman: state, CPU, memory, disk'),
    entry('View', 'Sensors', 'temperatures fans'),
    entry('View', 'Safety', 'is it safe secure security open ports'),
    entry('View', 'Access', 'tokens browsers phones pair'),
    entry('Setting', 'Hotkeys', 'hotkeys Named keyboard shortcuts of programs'),
    entry('Action', 'Take a screenshot', 'screen'),
    entry('View', 'Disks', 'storage drives partitions mounts space'),
    entry('View', 'Load', 'why slow overloaded busy'),
    entry('Reading', 'Processor', 'cpu The processor: usage, times'),
    entry('Reading', 'Memory', 'memory Memory and swap'),
    entry('Setting', 'Unencrypted access', 'server.plain Which clients can reach the port without TLS'),
    entry('Setting', 'Encrypted access (TLS)', 'server.tls'),
    entry('Action', 'Shut down…', 'power'),
    entry('Action', 'Appearance: light', 'theme'),
    entry('Action', 'Appearance: dark', 'theme'),
  ];
  const first = (wanted: string) => ranked(entries, wanted)[0]?.title;

  test.each([
    ['memory', 'Memory'],
    ['ram', 'Memory'],
    ['processor', 'Processor'],
    ['cpu', 'Processor'],
    ['why slow', 'Load'],
    ['https', 'Encrypted access (TLS)'],
    ['disk full', 'Disks'],
    ['turn off', 'Shut down…'],
    ['temperature', 'Sensors'],
    ['firewall', 'Safety'],
    ['tablet', 'Access'],
    ['shot', 'Take a screenshot'],
    ['cpufreqd', 'cpufreqd'],
    ['appearance dark', 'Appearance: dark'],
  ])('"%s" finds %s', (wanted, title) => {
    expect(first(wanted)).toBe(title);
  });

  test('a part of a word in a description is not found', () => {
    expect(ranked(entries, 'ram').map(({ title }) => title)).toEqual(['Memory', 'Containers']);
    expect(ranked(entries, 'temperature').map(({ title }) => title)).toEqual(['Sensors']);
  });

  test('a thread of the kernel comes last, and nothing is found for nonsense', () => {
    expect(ranked(entries, 'cpu').at(-1)?.title).toBe('cpuhp/0');
    expect(ranked(entries, 'xyzzy')).toEqual([]);
  });
});

describe('the settings', () => {
  const all = (of: FormSchema): FormSchema[] => [
    of,
    ...Object.values(of.properties ?? {}).flatMap(all),
    ...(of.items === undefined ? [] : all(of.items)),
  ];

  test('every section is on exactly one page', () => {
    const shown = settingsGroups.flatMap((group) => sectionsOf(group, schema).map(([name]) => name));
    expect(shown.toSorted()).toEqual(Object.keys(schema.properties ?? {}).toSorted());
    expect(settingsGroups.flatMap(({ sections }) => sections).filter((name) => !shown.includes(name))).toEqual([]);
    expect(groupOf('security.allowedOrigins')?.id).toBe('access');
    // A section of a newer service.
    expect(groupOf('newer')?.id).toBe('readings');
  });

  test('no text shows braces, and every number of seconds is a duration', () => {
    for (const field of all(schema)) expect(descriptionOf(field)).not.toMatch(/[{}]/);
    const numbers = all(schema).filter(({ type }) => type === 'integer');
    const durations = numbers.filter((field) => msPerUnit(field) !== undefined);
    expect(numbers.filter((field) => /seconds/i.test(field.description ?? ''))).toEqual(durations);
    expect(durations.length).toBeGreaterThan(5);
    for (const field of durations) expect(descriptionOf(field)).not.toMatch(/seconds/i);
  });

  test('a duration out of range is an error in words', () => {
    const interval = schema.properties?.history?.properties?.interval ?? {};
    expect(rangeOf(interval)).toBe('Enter a time from 5 s to 5 min, such as 30 s or 5 min');
  });

  test('an entry of a list is one line', () => {
    const items = (section: string, key: string) => schema.properties?.[section]?.properties?.[key]?.items;
    const command = { id: 'b', name: 'Back up', command: '/usr/bin/rsync', workingDir: '', arguments: ['-a', 'a/'] };
    expect(summaryOf(command, items('commands', 'allowlist'))).toBe('/usr/bin/rsync -a a/');
    const rule = { id: 'hot', enabled: true, when: { series: 'cpu', above: 90, for: 300 }, notify: ['screen'] };
    expect(summaryOf(rule, items('alerts', 'rules'))).toBe('cpu above 90 for 5 min screen');
  });

  test.each([
    ['https', 'server.tls'],
    ['home assistant', 'mqtt.discovery'],
    ['how often', 'modules'],
  ])('searching for "%s" shows %s', (wanted, path) => {
    const [section = '', key] = path.split('.');
    const shown = Object.fromEntries(found(schema, wanted))[section];
    expect(shown).toBeDefined();
    if (key !== undefined) expect(Object.keys(shown?.properties ?? {})).toContain(key);
  });
});

describe('views that the machine cannot fill', () => {
  const state = (availability: 'available' | 'unavailable', ...reasons: [field: string | null, reason: string][]) => ({
    name: 'any',
    description: '',
    interval_ms: 1000,
    availability,
    reasons: reasons.map(([field, reason]) => ({ field, reason, mendable: false })),
  });

  const mendable = (given: ReturnType<typeof state>) => ({
    ...given,
    reasons: given.reasons.map((each) => ({ ...each, mendable: true })),
  });

  test.each([
    ['no GPU', state('available', [null, 'This machine has no GPU']), [], true],
    ['no bus', state('unavailable', [null, 'There is no session bus']), [], true],
    ['no engine', state('available', ['engines', 'No socket was found']), ['engines'], true],
    ['a fan, but no temperature', state('available', ['temperatures', 'none']), ['temperatures', 'fans'], false],
    ['an engine that refuses access', mendable(state('available', ['engines', 'refused'])), ['engines'], false],
    ['some field is unknown', state('available', ['speed', 'no link']), [], false],
    ['its first reading is not done', state('unavailable', [null, 'its source has not answered yet']), [], false],
  ])('%s', (_name, given, fields, isEmpty) => {
    expect(isEmptyModule(given, fields)).toBe(isEmpty);
  });

  test('nothing is empty before the service has reported its modules', () => {
    expect(isEmptyModule(undefined)).toBe(false);
  });
});
