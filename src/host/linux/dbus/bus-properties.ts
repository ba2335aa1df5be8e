import type { Bus, SignalMatch } from '@hostler/dbus/dbus.ts';
import { BusError } from '@hostler/dbus/dbus.ts';

/** Properties of one object on a bus, of whoever has the name now. */
export interface BusValues {
  /** null: nobody has the name. It is never started by this. Throws what went wrong. */
  read(): Promise<ReadonlyMap<string, unknown> | null>;
  /** Calls back when one of the properties changes, or the name gets another owner. While it lasts they are asked for once. */
  watch(changed: () => void): () => void;
}

export interface BusPlace {
  destination: string;
  path: string;
  interface: string;
}

export interface BusValuesOptions {
  /** The only ones that matter. */
  names: readonly string[];
  /** Where they are asked for in another way than by GetAll. */
  ask?: () => Promise<ReadonlyMap<string, unknown>>;
  /** Where changes are told by other signals than the object's own PropertiesChanged: all of it is read anew then. */
  signals?: readonly { match: SignalMatch; isNews?: (body: unknown[], path: string) => boolean }[];
  /** Whoever answered so does not tell of changes, and is asked each time. */
  isUntold?: (values: ReadonlyMap<string, unknown>) => boolean;
}

const properties = 'org.freedesktop.DBus.Properties';
const bus = { path: '/org/freedesktop/DBus', interface: 'org.freedesktop.DBus' };
const busCall = { destination: 'org.freedesktop.DBus', ...bus };

/** An answer of ours waits no longer than 1.5 s for both calls. */
export const busTimeoutMs = 600;

export function busValues(connection: Bus, place: BusPlace, options: BusValuesOptions): BusValues {
  const { names, signals } = options;
  let known: ReadonlyMap<string, unknown> | null | undefined;
  let news = 0;
  let told: (() => void) | null = null;
  let stops: (() => void)[] = [];
  let state: 'silent' | 'beginning' | 'following' = 'silent';

  const outdated = () => {
    news += 1;
    known = undefined;
  };
  const announce = () => {
    outdated();
    told?.();
  };

  const heardChange = (changes: unknown, invalidated: unknown) => {
    const gone = Array.isArray(invalidated) ? invalidated : [];
    const values = Object.entries(Object(changes)).filter(([name]) => names.includes(name));
    if (gone.some((name) => names.includes(String(name)))) return announce();
    if (values.length === 0) return;
    news += 1;
    // What is known completely stays so without asking again.
    known = known ? new Map([...known, ...values]) : undefined;
    told?.();
  };

  const follow = (): Promise<() => void>[] => {
    if (signals === undefined)
      return [connection.subscribe(changesOf(place), ({ body }) => heardChange(body[1], body[2]))];
    return signals.map(({ match, isNews = () => true }) =>
      connection.subscribe(match, ({ body, path }) => {
        if (isNews(body, path)) announce();
      }),
    );
  };

  const begin = async () => {
    state = 'beginning';
    const mine = told;
    const begun = await Promise.allSettled([...follow(), connection.subscribe(ownersOf(place), announce)]);
    const opened = begun.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    // Ended meanwhile, or there is no bus: then the next read tries again.
    if (told !== mine || told === null || opened.length < begun.length) {
      for (const stop of opened) stop();
      if (told === mine) state = 'silent';
      return;
    }
    state = 'following';
    stops.push(...opened);
    announce();
  };

  return {
    async read() {
      if (told !== null && state === 'silent') void begin();
      if (state === 'following' && known !== undefined) return known;
      const before = news;
      const values = await readNow(connection, place, options);
      const isTold = values === null || options.isUntold?.(values) !== true;
      if (news === before) known = isTold ? values : undefined;
      return values;
    },
    watch(changed) {
      told = changed;
      stops = [connection.onReconnected(announce, announce)];
      void begin();
      return () => {
        told = null;
        state = 'silent';
        outdated();
        for (const stop of stops) stop();
        stops = [];
      };
    },
  };
}

const changesOf = ({ destination: sender, path, interface: arg0 }: BusPlace): SignalMatch => ({
  sender,
  path,
  interface: properties,
  member: 'PropertiesChanged',
  arg0,
});

const ownersOf = ({ destination: arg0 }: BusPlace): SignalMatch => ({
  sender: busCall.destination,
  ...bus,
  member: 'NameOwnerChanged',
  arg0,
});

async function readNow(
  connection: Bus,
  { destination, path, interface: name }: BusPlace,
  { ask }: BusValuesOptions,
): Promise<ReadonlyMap<string, unknown> | null> {
  try {
    if (!(await hasOwner(connection, destination))) return null;
    if (ask !== undefined) return await ask();
    const call = { destination, path, interface: properties, member: 'GetAll', timeoutMs: busTimeoutMs };
    const [values] = await connection.call({ ...call, signature: 's', body: [name] });
    return new Map(Object.entries(Object(values)));
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

/** Whether somebody has the name now; nobody is started for it. */
export async function hasOwner(connection: Bus, name: string): Promise<boolean> {
  const call = { ...busCall, member: 'NameHasOwner', signature: 's', body: [name], timeoutMs: busTimeoutMs };
  return (await connection.call(call))[0] === true;
}

/** There is no bus, or whoever had the name has left it between the two calls. */
function isGone(error: unknown): boolean {
  if (!(error instanceof BusError)) return false;
  return /^(Client\.NoBus|org\.freedesktop\.DBus\.Error\.(ServiceUnknown|NameHasNoOwner))$/.test(error.errorName);
}
