import { describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { shownValues } from '../src/core/entities/shown-values.ts';
import type { Bluetooth } from '../src/features/bluetooth/bluetooth.schema.ts';
import type { Custom } from '../src/features/custom/custom.schema.ts';
import { actions, defaultSettings, modules } from '../src/features/index.ts';
import { entityJson } from '../src/transports/entities/description.ts';
import { componentConfig } from '../src/transports/mqtt/discovery.ts';
import { topicsOf } from '../src/transports/mqtt/topics.ts';
import { fakeHost } from './doubles/fake-host.ts';
import { componentProblems } from './harness/home-assistant.ts';

const id = '4086a96b-54be-84ff-a33a-bb23ac0e3171';
const topics = topicsOf('hostler', id);
const source = path.resolve(import.meta.dirname, '../src/features');

const anyHost = () =>
  fakeHost({ platform: 'darwin' as never, network: { addresses: () => [], name: () => '' } as never });
const seenBy = new Map(
  await Promise.all(modules.map(async (module) => [module, (await module.entities?.(anyHost())) ?? null] as const)),
);
const modulesWithEntities = modules.filter((module) => seenBy.get(module) !== null);

/** Every fixture machine of a module is also shown to home automation. */
const recorded = modulesWithEntities.flatMap(({ name }) =>
  ['linux', 'windows'].flatMap((platform) => {
    const folder = path.join(source, name, 'fixtures', platform);
    if (!fs.existsSync(folder)) return [];
    return fs.readdirSync(folder).flatMap((machine) => {
      const file = path.join(folder, machine, 'expected.json');
      if (!fs.existsSync(file)) return [];
      const payload: unknown = JSON.parse(fs.readFileSync(file, 'utf8'));
      return [{ name, machine: `${platform}/${machine}`, payload }];
    });
  }),
);

const bluetooth: Bluetooth = {
  adapters: [{ id: 'hci0', name: 'desk', address: '00:11:22:33:44:00', powered: true, discovering: false }],
  devices: [
    {
      address: '00:11:22:33:44:AA',
      adapter: 'hci0',
      name: 'Headphones',
      kind: 'headphones',
      paired: true,
      trusted: true,
      connected: true,
      battery: 70,
      rssi: null,
    },
  ],
};
const custom: Custom = {
  sensors: [
    { id: 'room', name: 'Room', unit: '°C', parse: 'number', value: 21.5, at: 1_760_000_000, error: null },
    { id: 'notes', name: 'Notes', unit: '', parse: 'lines', value: ['a', 'b'], at: 1_760_000_000, error: null },
    { id: 'broken', name: 'Broken', unit: '', parse: 'text', value: null, at: null, error: 'exit code 1' },
  ],
};

/** The fixture machines of these modules have no entities. */
const machines = [
  ...recorded,
  { name: 'bluetooth', machine: 'a laptop with headphones', payload: bluetooth },
  { name: 'custom', machine: 'one with sensors of its own', payload: custom },
];

describe('entities of the modules', () => {
  test('the machine fixtures are found', () => expect(machines.length).toBeGreaterThan(50));

  test('only the clipboard and permission prompts have no entities', () => {
    const without = modules.filter((module) => !modulesWithEntities.includes(module));
    expect(without.map(({ name }) => name)).toEqual(['clipboard', 'prompts']);
  });

  test.each([...new Set(machines.map(({ name }) => name))])(
    '%s has entities on at least one machine',
    async (wanted) => {
      const seen = await entitiesOf(wanted);
      const keys = machines
        .filter(({ name }) => name === wanted)
        .flatMap(({ payload }) => [
          ...seen.read(payload, null).map(({ key }) => key),
          ...Object.keys(seen.controlled?.(payload) ?? {}),
        ]);
      expect(keys).not.toBeEmpty();
    },
  );

  test.each(machines)('$name on $machine is accepted by Home Assistant', async ({ name, payload }) => {
    const seen = await entitiesOf(name);
    const states = [...seen.read(payload, null), ...seen.read(payload, { payload, seconds: 10 })];
    const problems = states.flatMap(({ value, attributes, ...entity }) => {
      const hasState = entity.component !== 'image';
      const described = { entity, group: name, isControl: false, hasAttributes: attributes !== undefined, hasState };
      const config = componentConfig(described, topics, id, 'machine');
      // The description for clients has the same classes and units, which are checked here.
      const { platform, unit, device_class, state_class } = entityJson(described, null);
      expect([platform, unit, device_class, state_class]).toEqual([
        config.platform,
        config.unit_of_measurement,
        config.device_class,
        config.state_class,
      ] as never);
      return [...componentProblems(entity.key, config), ...valueProblems(entity, value)];
    });
    expect(problems).toEqual([]);
    const keys = seen.read(payload, null).map(({ key }) => key);
    expect(keys).toEqual([...new Set(keys)]);
    expect(() => JSON.stringify(shownValues(states, seen.controlled?.(payload) ?? {}).values)).not.toThrow();
  });
});

async function entitiesOf(name: string) {
  const definition = modules.find((module) => module.name === name);
  const seen = await definition?.entities?.(anyHost());
  if (!seen) throw new Error(`${name} has no entities`);
  return seen;
}

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

  test('are accepted by Home Assistant, each with a unique key', async () => {
    const all = await Promise.all(actions.map(async ({ entities }) => (await entities?.()) ?? {}));
    const controls = all.flatMap((one) => one.controls?.(settings) ?? []);
    const shown = all.flatMap((one) => one.shown ?? []);
    expect(controls.length).toBeGreaterThan(15);
    const choices = { options: ['one', 'other'] };
    const problems = controls.flatMap(({ toInput: _toInput, module, ...entity }) => {
      // Not over MQTT.
      if (entity.component === 'media_player') return [];
      const described = { entity: { ...entity, ...(entity.component === 'select' && choices) }, group: module ?? null };
      const flags = { isControl: true, hasAttributes: false, hasState: module !== undefined };
      return componentProblems(entity.key, componentConfig({ ...described, ...flags }, topics, id, 'machine'));
    });
    const others = shown.flatMap((entity) => {
      const hasState = entity.component !== 'event' && entity.component !== 'image';
      const described = { entity, group: 'action', isControl: false, hasAttributes: false, hasState };
      return componentProblems(entity.key, componentConfig(described, topics, id, 'machine'));
    });
    expect([...problems, ...others]).toEqual([]);
    const keys = [...controls, ...shown].map(({ key }) => key);
    expect(keys).toEqual([...new Set(keys)]);
  });

  test.each(['', 'press', 'on', '1e9', '-1', '101', 'NaN', '{}', '\u0000', 'ON ', '[]'])(
    '%p is ignored by every button, switch and number',
    async (sent) => {
      const all = await Promise.all(
        actions.map(async ({ entities }) => (await entities?.())?.controls?.(settings) ?? []),
      );
      const strict = all.flat().filter(({ component }) => ['button', 'switch', 'number'].includes(component));
      expect(strict.filter(({ toInput }) => toInput(sent) !== null).map(({ key }) => key)).toEqual([]);
    },
  );

  test('send what the action accepts', async () => {
    for (const action of actions) {
      const controls = (await action.entities?.())?.controls?.(settings) ?? [];
      for (const { key, component, toInput } of controls) {
        const sent = {
          button: 'PRESS',
          switch: 'ON',
          number: '50',
          select: 'device',
          notify: 'Hello',
          text: 'Hello',
          media_player: '{"action":"PLAY"}',
        }[String(component)];
        const input = toInput(sent ?? '');
        expect([key, (await action.input()).safeParse(input).success]).toEqual([key, true]);
      }
    }
  });
});
