import { describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { actions } from '../src/actions/index.ts';
import { modules } from '../src/modules/index.ts';
import { defaultSettings } from '../src/settings/settings.defaults.ts';
import { componentConfig } from '../src/transports/mqtt/discovery.ts';
import { topicsOf } from '../src/transports/mqtt/topics.ts';
import { shownValues } from '../src/transports/mqtt/values.ts';
import { fakeHost } from './doubles/fake-host.ts';
import { componentProblems } from './harness/home-assistant.ts';

const id = '4086a96b-54be-84ff-a33a-bb23ac0e3171';
const topics = topicsOf('hostler', id);
const source = path.resolve(import.meta.dirname, '../src/modules');

/** Every machine that a module is tested with is a machine that home automation gets to see. */
const machines = modules.flatMap(({ name }) =>
  ['linux', 'windows'].flatMap((platform) => {
    const folder = path.join(source, name, 'fixtures', platform);
    if (!fs.existsSync(folder)) return [];
    return fs.readdirSync(folder).flatMap((machine) => {
      const file = path.join(folder, machine, 'expected.json');
      return fs.existsSync(file) ? [{ name, machine: `${platform}/${machine}`, file }] : [];
    });
  }),
);

describe('entities of the modules', () => {
  test('the machines were found', () => expect(machines.length).toBeGreaterThan(50));

  test.each(machines)('$name on $machine is what Home Assistant accepts', async ({ name, file }) => {
    const payload: unknown = JSON.parse(fs.readFileSync(file, 'utf8'));
    if (payload === null) return;
    const definition = modules.find((module) => module.name === name);
    const seen = await definition?.entities?.(
      fakeHost({ platform: 'darwin' as never, network: { addresses: () => [], name: () => '' } as never }),
    );
    if (seen === undefined) return;
    const states = [...seen.read(payload, null), ...seen.read(payload, { payload, seconds: 10 })];
    const problems = states.flatMap(({ value, attributes, ...entity }) => {
      const hasState = entity.component !== 'image';
      const described = { entity, group: name, isControl: false, hasAttributes: attributes !== undefined, hasState };
      const config = componentConfig(described, topics, id, 'machine');
      return [...componentProblems(entity.key, config), ...valueProblems(entity, value)];
    });
    expect(problems).toEqual([]);
    const keys = seen.read(payload, null).map(({ key }) => key);
    expect(keys).toEqual([...new Set(keys)]);
    expect(() => JSON.stringify(shownValues(states, seen.controlled?.(payload) ?? {}).values)).not.toThrow();
  });
});

function valueProblems(
  { key, unit, component, options }: { key: string; unit?: string; component: string; options?: readonly string[] },
  value: unknown,
): string[] {
  if (value === null) return [];
  if (unit !== undefined && !Number.isFinite(value)) return [`${key} is ${value}, which is no number`];
  if (component === 'binary_sensor' && typeof value !== 'boolean') return [`${key} is ${value}`];
  if (options !== undefined && !options.includes(String(value))) return [`${key} is ${value}, none of ${options}`];
  if (typeof value === 'string' && component === 'sensor' && value.length > 255) return [`${key} is too long`];
  return [];
}

describe('controls of the actions', () => {
  const allowlist = ['Say hello', 'say-hello'].map((name) => ({
    id: name,
    name,
    command: '/bin/true',
    workingDir: '',
    arguments: [],
  }));
  const settings = { ...defaultSettings, commands: { allowlist } };

  test('are what Home Assistant accepts, each with a key of its own', async () => {
    const all = await Promise.all(actions.map(async ({ entities }) => (await entities?.()) ?? {}));
    const controls = all.flatMap((one) => one.controls?.(settings) ?? []);
    const shown = all.flatMap((one) => one.shown ?? []);
    expect(controls.length).toBeGreaterThan(15);
    const choices = { options: ['one', 'other'] };
    const problems = controls.flatMap(({ toInput: _toInput, module, ...entity }) => {
      const described = { entity: { ...entity, ...(entity.component === 'select' && choices) }, group: module ?? null };
      const flags = { isControl: true, hasAttributes: false, hasState: module !== undefined };
      return componentProblems(entity.key, componentConfig({ ...described, ...flags }, topics, id, 'machine'));
    });
    const others = shown.flatMap((entity) => {
      const hasState = entity.component !== 'event';
      const described = { entity, group: 'action', isControl: false, hasAttributes: false, hasState };
      return componentProblems(entity.key, componentConfig(described, topics, id, 'machine'));
    });
    expect([...problems, ...others]).toEqual([]);
    const keys = [...controls, ...shown].map(({ key }) => key);
    expect(keys).toEqual([...new Set(keys)]);
  });

  test.each(['', 'press', 'on', '1e9', '-1', '101', 'NaN', '{}', '\u0000', 'ON ', '[]'])(
    '%p is not obeyed by any button, switch or number',
    async (sent) => {
      const all = await Promise.all(
        actions.map(async ({ entities }) => (await entities?.())?.controls?.(settings) ?? []),
      );
      const strict = all.flat().filter(({ component }) => ['button', 'switch', 'number'].includes(component));
      expect(strict.filter(({ toInput }) => toInput(sent) !== null).map(({ key }) => key)).toEqual([]);
    },
  );

  test('what they send is what the action takes', async () => {
    for (const action of actions) {
      const controls = (await action.entities?.())?.controls?.(settings) ?? [];
      for (const { key, component, toInput } of controls) {
        const sent = { button: 'PRESS', switch: 'ON', number: '50', select: 'device', notify: 'Hello' }[
          String(component)
        ];
        const input = toInput(sent ?? '');
        expect([key, (await action.input()).safeParse(input).success]).toEqual([key, true]);
      }
    }
  });
});
