import type { Scope } from '../../access/scopes.ts';
import type { ActionDefinition, ActionEntities } from '../../core/action.ts';
import type { Caller } from '../../core/caller.ts';
import { offeredActions } from '../../core/entities/described-entity.ts';
import { configurationUrl } from '../../core/entities/device-facts.ts';
import { pictureIn } from '../../core/entities/shown-values.ts';
import type { Reading } from '../../core/reading.ts';
import type { EntityCommand } from '../../core/route-table.ts';
import { hasScope } from '../../core/service.ts';
import type { TransportParts } from '../../core/transport.ts';
import { sleep } from '../../lib/clock.ts';
import { ServiceError } from '../../lib/errors.ts';
import { entityJson, powerState } from './description.ts';
import type { EntityDescriptions } from './entities.schema.ts';
import { createEntityRun, type EntityRun } from './run.ts';

/** How long the values stay current after a single request: the next one needs no new readings, and rates are known. */
const lingerMs = 60_000;
const firstPollMs = 5000;
/** Of listeners that name no interval: home automation stores every value. On a tick of the history recorder. */
const usualMs = 30_000;

interface Listening {
  listener(reading: Reading): void;
  everyMs: number;
  pushed: string | undefined;
}

export type Entities = ReturnType<typeof createEntities>;

/** The entities for clients that build what the service describes. Without a listener nothing is read. */
export function createEntities(parts: TransportParts) {
  const { service, settings, host } = parts;
  const { clock } = host;
  const listeners = new Set<Listening>();
  let current: { run: Promise<EntityRun>; everyMs: number; isStarting: boolean } | null = null;
  /** Follows the run that is starting: one, however often the wanted interval changes meanwhile. */
  let next: Promise<EntityRun> | null = null;
  let cancelLinger: (() => void) | null = null;

  const push = (reading: Reading) => {
    for (const listening of listeners) {
      if (listening.pushed === reading.text) continue;
      listening.pushed = reading.text;
      listening.listener(reading);
    }
  };

  const stop = () => {
    cancelLinger?.();
    cancelLinger = null;
    void current?.run.then((run) => run.stop());
    current = null;
    next = null;
  };

  const start = async (everyMs: number, before: EntityRun | null): Promise<EntityRun> => {
    const run = await createEntityRun(parts, { everyMs, before, changed: push });
    await Promise.race([run.poll(), sleep(clock, firstPollMs)]);
    return run;
  };

  /** The readers at the shortest interval that is wanted now. */
  const running = (): Promise<EntityRun> => {
    const wanted = [...listeners].map((each) => each.everyMs);
    const everyMs = wanted.length === 0 || cancelLinger !== null ? Math.min(usualMs, ...wanted) : Math.min(...wanted);
    if (current?.everyMs === everyMs) return current.run;
    if (current?.isStarting === true) {
      next ??= after(current.run);
      return next;
    }
    const old = current?.run;
    const run = (async () => {
      const before = (await old) ?? null;
      before?.stop();
      return await start(everyMs, before);
    })();
    const started = { run, everyMs, isStarting: true };
    current = started;
    run.then(
      () => {
        started.isStarting = false;
      },
      () => {
        if (current === started) current = null;
      },
    );
    return run;
  };

  /** Without an error of the run before it. Everything may have stopped meanwhile. */
  const after = (starting: Promise<EntityRun>): Promise<EntityRun> => {
    const following: Promise<EntityRun> = starting
      .catch(() => null)
      .then((run) => {
        if (next !== following) return run ?? starting;
        next = null;
        return running();
      });
    return following;
  };

  const once = (): Promise<EntityRun> => {
    cancelLinger?.();
    cancelLinger = clock.after(lingerMs, () => {
      cancelLinger = null;
      if (listeners.size === 0) stop();
      else void running();
    });
    return running();
  };

  /** For what does not depend on how old the values are. */
  const any = (): Promise<EntityRun> => (listeners.size === 0 ? once() : running());

  return {
    async describe(caller: Caller): Promise<EntityDescriptions> {
      const run = await any();
      const granted = ({ scopes }: ActionDefinition) => hasScope(caller, ...scopes);
      const offered = await offeredActions(service, settings.current(), () => true, run.shown());
      const usable = offered.filter(({ action }) => granted(action));
      const facts = run.facts();
      return {
        revision: run.revision(),
        device: { ...facts, version: service.version, url: configurationUrl(facts, parts) },
        entities: [
          powerState,
          ...run.described().map((described) => entityJson(described, null)),
          ...usable.flatMap(({ action, described }) =>
            described.map((one) => entityJson(one, one.isControl ? action : null)),
          ),
        ],
        whole: [...run.whole(), ...usable.filter(({ isWhole }) => isWhole).map(({ action }) => action.name)],
        missing_scopes: missingScopes(offered.filter(({ action }) => !granted(action))),
      };
    },
    reading: async (): Promise<Reading> => (await once()).reading(),
    listen(listener: (reading: Reading) => void, everyMs = usualMs, seen?: Reading): () => void {
      const listening: Listening = { listener, everyMs, pushed: seen?.text };
      listeners.add(listening);
      void running().then((run) => push(run.reading()));
      return () => {
        if (!listeners.delete(listening)) return;
        if (listeners.size > 0) void running();
        else if (cancelLinger === null) stop();
      };
    },
    /** The action and the input for a value of a control. Throws not_found and invalid. */
    async command(key: string, value: unknown): Promise<EntityCommand> {
      for (const action of service.actions) {
        const entities = (await action.entities?.()) ?? null;
        const control = entities?.controls?.(settings.current()).find((one) => one.key === key);
        if (entities === null || control === undefined) continue;
        const sent = sentText(value);
        const choices = (await any())
          .shown()
          .get(control.module ?? '')
          ?.choices.get(key);
        const meant = choices === undefined ? sent : choices.get(sent);
        const input = meant === undefined ? null : control.toInput(meant);
        if (input === null) throw new ServiceError('invalid', `${key} cannot be set to ${shortened(sent)}`);
        return { action, input, ...eventsOf(entities) };
      }
      throw new ServiceError('not_found', `There is no control ${shortened(key)}; /api/entities lists them`);
    },
    /** null: it has none now. */
    picture: async (key: string) => pictureIn((await any()).picture(key)),
    close: stop,
  };
}

/** Why the token has fewer controls than the machine. */
const missingScopes = (refused: readonly { action: ActionDefinition }[]): Scope[] =>
  [...new Set(refused.flatMap(({ action }) => action.scopes.slice(0, 1)))].toSorted();

const eventsOf = ({ onMessage, onDone }: ActionEntities): Pick<EntityCommand, 'onMessage' | 'onDone'> => ({
  onMessage: (type, data) => onMessage?.(type, data) ?? null,
  onDone: (result) => onDone?.(result) ?? null,
});

/** As over MQTT: `PRESS`, `ON`, `OFF`, a number, an option or JSON. */
function sentText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'ON' : 'OFF';
  return value === undefined || value === null ? 'PRESS' : JSON.stringify(value);
}

const shortened = (text: string) => JSON.stringify(text.slice(0, 64));
