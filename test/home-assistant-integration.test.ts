import { describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { actions } from '../src/features/index.ts';

const folder = path.resolve(import.meta.dirname, '../integrations/home-assistant/custom_components/hostler');
const read = (name: string) => fs.readFileSync(path.join(folder, name), 'utf8');
const sources = fs.readdirSync(folder).filter((name) => name.endsWith('.py'));
const code = sources.map(read).join('\n');
const strings = JSON.parse(read('strings.json'));
const found = (pattern: RegExp) => [...new Set([...code.matchAll(pattern)].map(([, name = '']) => name))].toSorted();
const names = (part: object) => Object.keys(part).toSorted();

/** `a.b` for every text, with the placeholders in it. */
const textsIn = (part: unknown, at = ''): [string, string][] =>
  typeof part === 'string'
    ? [[at, (part.match(/\{\w+\}/g) ?? []).toSorted().join(' ')]]
    : Object.entries(part ?? {}).flatMap(([key, value]) => textsIn(value, `${at}.${key}`));

test('the manifest has what Home Assistant and HACS require', () => {
  const manifest = JSON.parse(read('manifest.json'));
  expect(manifest).toMatchObject({ domain: 'hostler', config_flow: true, iot_class: 'local_push', requirements: [] });
  // Home Assistant wants domain and name first, and the rest sorted.
  const [domain, name, ...rest] = Object.keys(manifest);
  expect([domain, name]).toEqual(['domain', 'name']);
  expect(rest).toEqual(rest.toSorted());
  expect(manifest.version).toBe(JSON.parse(fs.readFileSync('package.json', 'utf8')).version);
  expect(manifest.zeroconf).toEqual(['_hostler._tcp.local.']);
});

describe('texts', () => {
  test('English is the text of the source, and every language has every text with its placeholders', () => {
    expect(JSON.parse(read('translations/en.json'))).toEqual(strings);
    for (const file of fs.readdirSync(path.join(folder, 'translations')))
      expect([file, textsIn(JSON.parse(read(`translations/${file}`)))]).toEqual([file, textsIn(strings)]);
  });

  test('every step, error, reason, exception, issue and service has a text, and no text is unused', () => {
    const { config, exceptions, issues, services, options } = strings;
    expect(found(/(?<!next_)step_id="(\w+)"/g).filter((step) => step !== 'init' && step !== 'pair')).toEqual(
      names(config.step).filter((step) => !['user', 'reconfigure'].includes(step)),
    );
    expect(names(config.step)).toEqual(expect.arrayContaining(found(/_address_step\("(\w+)"/g)));
    expect(names(options.step)).toEqual(['init']);
    expect(names(config.progress)).toEqual(found(/progress_action="(\w+)"/g));
    const tables = [...read('config_flow.py').matchAll(/^(?:FAILURES|REFUSALS)\b[^{]*\{([^}]*)\}/gm)].join();
    const refusals = [...tables.matchAll(/: "(\w+)"/g)].map(([, name = '']) => name);
    expect(names(config.error)).toEqual(
      [...new Set([...found(/errors\["base"\] = "(\w+)"/g), ...refusals, 'failed'])].toSorted(),
    );
    const aborts = [...found(/reason="(\w+)"/g), 'already_configured', 'already_in_progress'];
    expect(names(config.abort)).toEqual([...aborts, 'reauth_successful', 'reconfigure_successful'].toSorted());
    const keys = found(/translation_key="(\w+)"/g);
    expect([...names(exceptions), ...names(issues)].toSorted()).toEqual(keys);
    expect(names(services)).toEqual(found(/async_register\w*\([\w\s,]*DOMAIN, "(\w+)"/g));
    expect(names(services)).toEqual([...read('services.yaml').matchAll(/^(\w+):/gm)].map(([, name = '']) => name));
  });
});

test('every event that the service describes has a text for its device triggers', async () => {
  const shown = (await Promise.all(actions.map(async ({ entities }) => (await entities?.())?.shown ?? []))).flat();
  const events = shown.filter(({ component }) => component === 'event');
  const { trigger_subtype, trigger_type } = strings.device_automation;
  expect(names(trigger_subtype)).toEqual(events.map(({ key }) => key).toSorted());
  expect(names(trigger_type)).toEqual([...new Set(events.flatMap(({ eventTypes = [] }) => eventTypes))].toSorted());
});

test('there is a platform for each kind of entity that the service describes', () => {
  const platforms = found(/^ {4}Platform\.(\w+),/gm).map((name) => name.toLowerCase());
  expect(platforms.filter((name) => !sources.includes(`${name}.py`))).toEqual([]);
  const source = fs.readFileSync('src/core/readings/entities.ts', 'utf8');
  const union = /EntityComponent =([^;]+);/.exec(source)?.[1] ?? '';
  expect([...union.matchAll(/'(\w+)'/g)].map(([, name = '']) => name).toSorted()).toEqual(platforms.toSorted());
});

test('the Python compiles', () => {
  const check = 'import sys\nfor name in sys.argv[1:]: compile(open(name).read(), name, "exec")';
  const { error, status, stderr } = spawnSync(
    'python3',
    ['-c', check, ...sources.map((name) => path.join(folder, name))],
    {
      encoding: 'utf8',
    },
  );
  if (error !== undefined) return console.log('skipped: python3 is not installed');
  expect([status, stderr]).toEqual([0, '']);
});
