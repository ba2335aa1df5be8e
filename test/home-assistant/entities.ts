import type { EntityDescriptions } from '../../src/transports/entities/entities.schema.ts';
import type { RunningHostler } from '../real/harness/service.ts';
import type { HomeAssistant, State } from './home-assistant.ts';

interface RegisteredEntity {
  entity_id: string;
  unique_id: string;
  platform: string;
  disabled_by: string | null;
}

type Described = EntityDescriptions['entities'][number];

/** The entities of Home Assistant with what the service says about each. */
export async function entitiesOf(home: HomeAssistant, service: RunningHostler) {
  const { device, entities } = (await (await service.get('/api/entities')).json()) as EntityDescriptions;
  const described = new Map(entities.map((one) => [one.key, one]));
  const registered = await home.ask<RegisteredEntity[]>('config/entity_registry/list');
  return registered
    .filter(({ platform }) => platform === 'hostler')
    .map(({ entity_id, unique_id, disabled_by }) => {
      const key = unique_id.replace(`${device.id}_`, '');
      return { entity_id, key, isDisabled: disabled_by !== null, described: described.get(key) };
    });
}

/** Compares every enabled entity with what the API answers before and after; values that change between the two are asked for again. */
export async function compareEntities(home: HomeAssistant, service: RunningHostler): Promise<string> {
  const all = await entitiesOf(home, service);
  const enabled = all.filter(({ isDisabled }) => !isDisabled);
  if (enabled.length < 20) throw new Error(`there are only ${enabled.length} entities`);
  let open = enabled;
  let wrong: string[] = [];
  for (let round = 0; round < 5 && open.length > 0; round++) {
    if (round > 0) await Bun.sleep(3000);
    const before = await valuesOf(service);
    const states = await home.states();
    const after = await valuesOf(service);
    wrong = [];
    open = open.filter(({ entity_id, key, described }) => {
      const expected = before[key];
      if (JSON.stringify(expected) !== JSON.stringify(after[key])) return true;
      const state = states.get(entity_id);
      if (described !== undefined && state !== undefined && isShown(described, expected, state)) return false;
      wrong.push(`${entity_id} is ${state?.state}, the service says ${JSON.stringify(expected) ?? 'nothing'}`);
      return true;
    });
  }
  if (wrong.length > 0) throw new Error(wrong.join('; '));
  return `${enabled.length - open.length} of ${enabled.length} equal, ${all.length - enabled.length} off by default`;
}

async function valuesOf(service: RunningHostler): Promise<Record<string, unknown>> {
  return ((await (await service.get('/api/data/entities')).json()) as { values: Record<string, unknown> }).values;
}

/** As Home Assistant writes the value. */
function isShown({ platform, device_class }: Described, value: unknown, { state, attributes }: State): boolean {
  if (state === 'unavailable') return false;
  if (platform === 'button' || platform === 'event' || platform === 'notify') return true;
  if (platform === 'update')
    return (
      (attributes.installed_version ?? null) === ((value as Record<string, unknown> | null)?.installed_version ?? null)
    );
  if (value === null || value === undefined) return ['unknown', 'idle', 'off'].includes(state);
  if (platform === 'media_player')
    return (attributes.media_title ?? null) === ((value as Record<string, unknown>).title ?? null);
  // Its state is the time at which Home Assistant noticed the picture.
  if (platform === 'image') return !Number.isNaN(Date.parse(state));
  if (typeof value === 'boolean') return state === (value ? 'on' : 'off');
  if (typeof value === 'number') return Number(state) === value;
  if (device_class === 'timestamp') return Math.abs(Date.parse(state) - Date.parse(String(value))) < 1000;
  return state === String(value);
}
