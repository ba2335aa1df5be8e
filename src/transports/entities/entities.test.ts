import { expect, test } from 'bun:test';
import { z } from 'zod';
import { fakeClock, fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { pictures } from '../../../test/harness/pictures.ts';
import type { ActionDefinition, ActionResult } from '../../core/action.ts';
import type { Caller } from '../../core/caller.ts';
import { pictureIn } from '../../core/entities/shown-values.ts';
import { type EntityState, sensor, switchControl } from '../../core/readings/entities.ts';
import { createStore } from '../../core/store.ts';
import type { TransportParts } from '../../core/transport.ts';
import { defaultSettings } from '../../features/index.ts';
import { createSharedTimers } from '../../lib/shared-timers.ts';
import { entityDescriptionsSchema, entityValuesSchema } from './entities.schema.ts';
import { createEntities } from './entities.ts';

interface Lamp {
  level: number | null;
  on: boolean;
  picture: string | null;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const caller = (...scopes: string[]) => ({ scopes: new Set(scopes) }) as unknown as Caller;
const valuesIn = (text: string) => entityValuesSchema.parse(JSON.parse(text));

/** A machine with one lamp, which is read every 30 s and can be switched by callers with the scope control. */
function setUp() {
  const clock = fakeClock();
  let runs = 0;
  const machineEvents = async () => {
    runs++;
    return async () => {};
  };
  const host = fakeHost({ clock, machineEvents } as never);
  const lamp: Lamp & { reads: number } = { level: 40, on: true, picture: null, reads: 0 };
  const definition = {
    name: 'lamp',
    description: 'A lamp',
    schema: async () => z.object({ level: z.number() }),
    everyMs: 1000,
    empty: { level: 0, on: false, picture: null },
    sources: {
      linux: async () => () => ({
        read() {
          lamp.reads++;
          const { reads: _reads, ...now } = lamp;
          return now;
        },
      }),
    },
    entities: async () => ({
      read: ({ level, picture }: Lamp): EntityState[] => [
        sensor('level', 'Level', level, { unit: '%' }),
        { key: 'picture', component: 'image', name: 'Picture', value: picture, isOftenUnknown: true },
      ],
      controlled: ({ on }: Lamp) => ({ lamp_on: { value: on } }),
    }),
  };
  const action = {
    name: 'lamp.switch',
    scopes: ['control'],
    effect: 'write',
    entities: async () => ({
      controls: () => [switchControl({ key: 'lamp_on', name: 'Lamp', module: 'lamp' })],
      onDone: ({ data }: ActionResult) => ({ key: 'lamp_event', type: 'done', data: { data } }),
    }),
  } as unknown as ActionDefinition;
  const context = fakeContext();
  const store = createStore({ modules: [definition as never], host, context });
  const parts = {
    service: {
      version: '1',
      store,
      modules: [definition],
      actions: [action],
      unavailable: async () => null,
      onTokensChange: () => () => {},
    },
    host,
    log: context.log,
    timers: createSharedTimers(clock),
    settings: { current: () => defaultSettings, onChange: () => () => {} },
    listenOn: { address: '127.0.0.1', port: 1, securePort: 2 },
    routeTable: {},
  } as unknown as TransportParts;
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 500) {
      clock.advance(500);
      await turn();
    }
  };
  return { clock, lamp, entities: createEntities(parts), pass, runs: () => runs };
}

test('the description lists states, the power state and the controls that the caller may use', async () => {
  const { entities } = setUp();
  const reader = entityDescriptionsSchema.parse(await entities.describe(caller('read')));
  expect(reader.entities.map(({ key }) => key)).toEqual(['power_state', 'level', 'picture']);
  expect(reader.missing_scopes).toEqual(['control']);
  const owner = await entities.describe(caller('read', 'control'));
  expect(owner.missing_scopes).toEqual([]);
  expect(owner.entities.at(-1)).toEqual({
    key: 'lamp_on',
    platform: 'switch',
    name: 'Lamp',
    group: 'lamp',
    control: { action: 'lamp.switch', scopes: ['control'], effect: 'write', has_state: true },
  });
  expect(owner.entities[1]).toMatchObject({ unit: '%', state_class: 'measurement' });
  entities.close();
});

test('a listener gets all values when one changes, every 30 s at most; without listeners nothing is read', async () => {
  const { entities, lamp, pass } = setUp();
  const got: string[] = [];
  const stop = entities.listen(({ text }) => got.push(text), undefined, undefined);
  await pass(35_000);
  expect(valuesIn(got.at(-1) ?? '').values).toEqual({ power_state: 'on', level: 40, picture: null, lamp_on: true });
  const before = got.length;
  lamp.level = 41;
  await pass(30_000);
  expect(got.length).toBe(before + 1);
  expect(valuesIn(got.at(-1) ?? '').values.level).toBe(41);
  await pass(60_000);
  expect(got.length).toBe(before + 1);
  stop();
  const { reads } = lamp;
  await pass(120_000);
  expect(lamp.reads).toBe(reads);
});

test('a listener may also ask for less', async () => {
  const { entities, lamp, pass } = setUp();
  const stop = entities.listen(() => {}, 120_000, undefined);
  await pass(1000);
  const { reads } = lamp;
  await pass(240_000);
  expect(lamp.reads - reads).toBe(2);
  // A request does not get values of two minutes ago.
  lamp.level = 41;
  await pass(31_000);
  expect(valuesIn((await entities.reading()).text).values.level).toBe(41);
  stop();
});

test('listeners that name many intervals at once start two runs, the last one at the shortest', async () => {
  const { entities, lamp, pass, runs } = setUp();
  const stops = Array.from({ length: 50 }, (_, index) => entities.listen(() => {}, 60_000 - index * 1000, undefined));
  await pass(1000);
  expect(runs()).toBe(2);
  const { reads } = lamp;
  await pass(55_000);
  expect(lamp.reads - reads).toBe(5);
  for (const stop of stops.reverse()) stop();
  await pass(1000);
  const after = { reads: lamp.reads, runs: runs() };
  expect(after.runs).toBeLessThanOrEqual(4);
  await pass(120_000);
  expect({ reads: lamp.reads, runs: runs() }).toEqual(after);
});

test('the revision changes with the description, not with the values', async () => {
  const { entities, lamp, pass } = setUp();
  const stop = entities.listen(() => {}, 1000, undefined);
  await pass(2000);
  const first = valuesIn((await entities.reading()).text).revision;
  lamp.level = 50;
  await pass(2000);
  expect(valuesIn((await entities.reading()).text)).toMatchObject({ revision: first, values: { level: 50 } });
  lamp.level = null;
  await pass(2000);
  expect(valuesIn((await entities.reading()).text).revision).toBeGreaterThan(first);
  // Known once, so it stays described.
  expect((await entities.describe(caller('read'))).entities.map(({ key }) => key)).toContain('level');
  stop();
});

test('of a picture in the payload the values have the time of its change, and the picture has a request of its own', async () => {
  const { entities, lamp, clock, pass } = setUp();
  const stop = entities.listen(() => {}, 1000, undefined);
  await pass(2000);
  lamp.picture = `data:image/jpeg;base64,${pictures.png.toString('base64')}`;
  await pass(2000);
  const { picture } = valuesIn((await entities.reading()).text).values;
  expect(picture).toBeNumber();
  expect(Number(picture)).toBeLessThanOrEqual(clock.now());
  expect(await entities.picture('picture')).toEqual({ type: 'image/png', bytes: new Uint8Array(pictures.png) });
  expect(await entities.picture('level')).toBeNull();
  stop();
});

test('a value for a control becomes the input of its action', async () => {
  const { entities } = setUp();
  expect(await entities.command('lamp_on', false)).toMatchObject({ input: { on: false } });
  expect(await entities.command('lamp_on', 'ON')).toMatchObject({ input: { on: true } });
  expect(entities.command('lamp_on', 3)).rejects.toThrow('cannot be set to "3"');
  expect(entities.command('other', 3)).rejects.toThrow('There is no control "other"');
  entities.close();
});

test.each([
  'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=',
  'data:image/png;base64,A=A=A',
  'https://player.example/cover.png',
])('what a player names as its picture is not served unless it is one: %s', async (value) => {
  expect(pictureIn(value)).toBeNull();
});
