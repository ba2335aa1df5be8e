import { type DescribedEntity, describedStates, usableEntities } from '../../core/entities/described-entity.ts';
import { readDeviceFacts } from '../../core/entities/device-facts.ts';
import { createEntityReader, type EntityReader, type ReadEntities } from '../../core/entities/entity-reader.ts';
import { startPolling } from '../../core/entities/poll-schedule.ts';
import { followPowerState } from '../../core/entities/power-state.ts';
import { hasSameChoices, isSameAnnouncement, type ShownValues, shownValues } from '../../core/entities/shown-values.ts';
import { createReading, type Reading } from '../../core/reading.ts';
import type { DeviceFacts, EntityState, EntityValue } from '../../core/readings/entities.ts';
import type { TransportParts } from '../../core/transport.ts';

/** Readers of all modules with entities, and what they found. */
export interface EntityRun {
  poll(): Promise<void>;
  reading(): Reading;
  /** Unix milliseconds of the last change of what is described. */
  revision(): number;
  described(): DescribedEntity[];
  shown(): ReadonlyMap<string, ShownValues>;
  /** Modules whose settings decide which entities there are. */
  whole(): string[];
  facts(): DeviceFacts;
  picture(key: string): EntityValue;
  stop(): void;
}

export interface EntityRunParts {
  everyMs: number;
  /** The run that this one continues. */
  before: EntityRun | null;
  changed(reading: Reading): void;
}

interface Group {
  states: readonly EntityState[];
  shown: ShownValues;
  isWhole: boolean;
  /** Entities that were known once, by key. */
  known: Map<string, EntityState>;
}

/** Changes of one moment become one update. */
const joinMs = 100;

export async function createEntityRun(parts: TransportParts, given: EntityRunParts): Promise<EntityRun> {
  const { service, host, log, settings, timers } = parts;
  const { clock } = host;
  const groups = new Map<string, Group>();
  const actionValues: Record<string, EntityValue> = {};
  const pictures = new Map<string, { value: EntityValue; at: number }>();
  let facts = given.before?.facts() ?? (await readDeviceFacts(parts));
  let revision = given.before?.revision() ?? clock.now();
  let cancelPush: (() => void) | null = null;

  const emit = () => {
    cancelPush?.();
    cancelPush = null;
    given.changed(reading());
  };
  const changed = () => {
    cancelPush ??= clock.after(joinMs, emit);
  };
  const described = () => {
    revision = Math.max(clock.now(), revision + 1);
    changed();
  };
  const power = followPowerState(parts, {
    // The machine is about to sleep: no time to join changes.
    changed: emit,
    resumed: () => void poll().then(changed),
  });
  const reading = () => {
    const values = valuesOf(groups.values(), pictures);
    return createReading(
      {
        revision,
        values: { power_state: power.current(), ...values.values, ...actionValues },
        attributes: values.attributes,
      },
      [],
      clock,
    );
  };

  const took = (name: string, { of, states, shown: plain }: ReadEntities, payload: unknown) => {
    const extra = of.clientStates?.(payload);
    const shown = extra === undefined ? plain : shownValues(states, { ...of.controlled?.(payload), ...extra });
    const isWhole = of.isWhole === true;
    const before = groups.get(name);
    const known = isWhole || before === undefined ? new Map<string, EntityState>() : before.known;
    for (const state of states) if (state.value !== null || known.has(state.key)) known.set(state.key, state);
    for (const { key, component, value } of states)
      if (component === 'image' && pictures.get(key)?.value !== value) pictures.set(key, { value, at: clock.now() });
    if (of.device !== undefined) facts = of.device(payload);
    groups.set(name, { states, shown, isWhole, known });
    if (isSameAnnouncement(before?.states, states) && hasSameChoices(before?.shown, shown)) changed();
    else described();
  };

  const readers: EntityReader[] = [];
  for (const definition of service.modules) {
    if (definition.readings === undefined && definition.entities === undefined) continue;
    const { name } = definition;
    readers.push(
      await createEntityReader(definition, {
        store: service.store,
        host,
        clock,
        log,
        owner: 'entities',
        intervalSeconds: given.everyMs / 1000,
        moduleSeconds: ({ everyMs }) => (settings.current().modules[name]?.interval ?? everyMs) / 1000,
        took: ({ payload }, read) => read && took(name, read, payload),
        absent() {
          const group = groups.get(name);
          if (group === undefined) return;
          groups.set(name, { ...group, states: [], shown: { ...group.shown, values: {} } });
          changed();
        },
      }),
    );
  }
  let polling = 0;
  /** The last poll of a moment passes on what all of them changed: no wake-up of its own. */
  const polled = readers.map(({ everySeconds, poll }) => ({
    everySeconds,
    async poll() {
      polling += 1;
      await poll();
      polling -= 1;
      if (polling === 0 && cancelPush !== null) emit();
    },
  }));
  const poll = async () => {
    await Promise.all(polled.map((each) => each.poll()));
  };
  const ends = [
    startPolling(clock, polled, () => true, timers),
    settings.onChange(described),
    service.onTokensChange(described),
    ...readers.map((reader) => reader.stop),
    ...(await followActions(parts, (states) => {
      Object.assign(actionValues, states);
      changed();
    })),
  ];
  return {
    poll,
    reading,
    revision: () => revision,
    described: () =>
      [...groups].flatMap(([name, { states, known }]) => {
        const now = new Map(states.map((state) => [state.key, state]));
        const all = [...states, ...[...known.values()].filter(({ key }) => !now.has(key))];
        return describedStates(name, all, (key) => known.has(key));
      }),
    shown: () => new Map([...groups].map(([name, { shown }]) => [name, shown])),
    whole: () => [...groups].filter(([, { isWhole }]) => isWhole).map(([name]) => name),
    facts: () => facts,
    picture: (key) => pictures.get(key)?.value ?? null,
    stop() {
      cancelPush?.();
      cancelPush = null;
      for (const end of ends) end();
      void power.stop();
    },
  };
}

/** The states that actions show. */
async function followActions(
  { service, log }: TransportParts,
  changed: (states: Record<string, EntityValue>) => void,
): Promise<(() => void)[]> {
  const stops: (() => void)[] = [];
  for (const action of service.actions) {
    try {
      const { follow } = (await usableEntities(service, action, () => true)) ?? {};
      if (follow !== undefined) stops.push(follow(service.keep, changed));
    } catch (error) {
      log.error(`entities: ${action.name} cannot be followed`, error);
    }
  }
  return stops;
}

function valuesOf(groups: Iterable<Group>, pictures: ReadonlyMap<string, { value: EntityValue; at: number }>) {
  const values: Record<string, EntityValue> = {};
  const attributes: Record<string, unknown> = {};
  for (const { states, shown, known } of groups) {
    for (const { key, component, value, attributes: more } of states) {
      if (component === 'image') values[key] = pictureValue(pictures.get(key));
      else if (value !== null || known.has(key)) values[key] = value;
      if (more !== undefined) attributes[key] = more;
    }
    for (const key of shown.controlled) values[key] = shown.values[key] ?? null;
  }
  return { values, attributes };
}

/** A web address as it is; of a picture in the payload the time of its change, because it may be long. */
function pictureValue(picture: { value: EntityValue; at: number } | undefined): EntityValue {
  if (typeof picture?.value !== 'string') return null;
  return picture.value.startsWith('data:') ? picture.at : picture.value;
}
