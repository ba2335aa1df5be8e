import type { Bus, SignalMatch } from '@hostler/dbus/dbus.ts';
import { BusError, busDaemon } from '@hostler/dbus/dbus.ts';
import { createStops } from '../../../lib/closing.ts';

/** Properties of one object of the current owner of a bus name. */
export type BusValues = ReturnType<typeof busValues>;

export interface BusPlace {
  destination: string;
  path: string;
  interface: string;
}

/** The object whose path repeats the name, such as org.kde.KWin at /org/kde/KWin. */
export const namedPlace = (name: string, interfaceName = name): BusPlace => ({
  destination: name,
  path: `/${name.replaceAll('.', '/')}`,
  interface: interfaceName,
});

export interface BusValuesOptions {
  names: readonly string[];
  /** Reads them in another way than by GetAll. */
  ask?: () => Promise<ReadonlyMap<string, unknown>>;
  /** Other signals than the object's PropertiesChanged that announce changes: they cause a full read. */
  signals?: readonly { match: SignalMatch; isNews?: (body: unknown[], path: string) => boolean }[];
  /** Whether this owner announces no changes and must be read each time. */
  isUnannounced?: (values: ReadonlyMap<string, unknown>) => boolean;
}

const properties = 'org.freedesktop.DBus.Properties';

/** Time limit of both calls: 1.5 s in total. */
export const busTimeoutMs = 600;

export function busValues(connection: Bus, place: BusPlace, options: BusValuesOptions) {
  const { names, signals } = options;
  let known: ReadonlyMap<string, unknown> | null | undefined;
  let news = 0;
  let listener: (() => void) | null = null;
  let stops = createStops();
  let state: 'silent' | 'beginning' | 'following' = 'silent';

  const outdated = () => {
    news += 1;
    known = undefined;
  };
  const announce = () => {
    outdated();
    listener?.();
  };

  const receiveChange = (changes: unknown, invalidated: unknown) => {
    const gone = Array.isArray(invalidated) ? invalidated : [];
    const values = Object.entries(Object(changes)).filter(([name]) => names.includes(name));
    if (gone.some((name) => names.includes(String(name)))) return announce();
    if (values.length === 0) return;
    news += 1;
    // A complete set needs no further read.
    known = known ? new Map([...known, ...values]) : undefined;
    listener?.();
  };

  const follow = (): Promise<() => void>[] => {
    if (signals === undefined)
      return [connection.subscribe(changesOf(place), ({ body }) => receiveChange(body[1], body[2]))];
    return signals.map(({ match, isNews = () => true }) =>
      connection.subscribe(match, ({ body, path }) => {
        if (isNews(body, path)) announce();
      }),
    );
  };

  const begin = async () => {
    state = 'beginning';
    const mine = listener;
    const begun = await Promise.allSettled([...follow(), connection.subscribe(ownersOf(place.destination), announce)]);
    const opened = begun.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    // It ended meanwhile, or there is no bus: the next read tries again.
    if (listener !== mine || listener === null || opened.length < begun.length) {
      for (const stop of opened) stop();
      if (listener === mine) state = 'silent';
      return;
    }
    state = 'following';
    for (const stop of opened) stops.add(stop);
    announce();
  };

  return {
    /** null: the name has no owner, and none is started. Throws the error of a call. */
    async read(): Promise<ReadonlyMap<string, unknown> | null> {
      if (isGone(connection.unreachable?.())) return null;
      if (state === 'following' && known !== undefined) return known;
      const before = news;
      const values = await readNow(connection, place, options);
      // Without a bus, subscribing would only fail several times more.
      if (listener !== null && state === 'silent' && !isGone(connection.unreachable?.())) void begin();
      const isAnnounced = values === null || options.isUnannounced?.(values) !== true;
      if (news === before) known = isAnnounced ? values : undefined;
      return values;
    },
    /** Calls back when one of the properties changes, or the name gets another owner. Meanwhile they are read only once. */
    watch(changed: () => void): () => void {
      listener = changed;
      stops = createStops(connection.onReconnected(announce, announce));
      void begin();
      return () => {
        listener = null;
        state = 'silent';
        outdated();
        stops.end();
      };
    },
  };
}

/** The signal that properties of this interface change. */
export const changesOf = (place: BusPlace): SignalMatch => ({
  ...signalsOf({ ...place, interface: properties }, 'PropertiesChanged'),
  arg0: place.interface,
});

export const signalsOf = ({ destination: sender, path, interface: of }: BusPlace, member?: string): SignalMatch => ({
  sender,
  path,
  interface: of,
  ...(member === undefined ? {} : { member }),
});

/** The signal that a name gets another owner, or none. */
export const ownersOf = (name: string): SignalMatch => ({ ...signalsOf(busDaemon, 'NameOwnerChanged'), arg0: name });

async function readNow(
  connection: Bus,
  place: BusPlace,
  { ask }: BusValuesOptions,
): Promise<ReadonlyMap<string, unknown> | null> {
  try {
    if (!(await hasOwner(connection, place.destination))) return null;
    if (ask !== undefined) return await ask();
    return new Map(Object.entries(await getProperties(connection, place, busTimeoutMs)));
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

type Calls = Pick<Bus, 'call'>;

const propertyCall = ({ destination, path }: BusPlace) => ({ destination, path, interface: properties });

export async function getProperty(bus: Calls, place: BusPlace, name: string, timeoutMs: number): Promise<unknown> {
  const body = [place.interface, name];
  const [value] = await bus.call({ ...propertyCall(place), member: 'Get', signature: 'ss', body, timeoutMs });
  return value;
}

export async function getProperties(bus: Calls, place: BusPlace, timeoutMs: number): Promise<Record<string, unknown>> {
  const body = [place.interface];
  const [values] = await bus.call({ ...propertyCall(place), member: 'GetAll', signature: 's', body, timeoutMs });
  return Object(values);
}

export async function setProperty(
  bus: Calls,
  place: BusPlace,
  name: string,
  value: unknown,
  timeoutMs: number,
): Promise<void> {
  const body = [place.interface, name, value];
  await bus.call({ ...propertyCall(place), member: 'Set', signature: 'ssv', body, timeoutMs });
}

/** Whether the name has an owner; none is started. */
export async function hasOwner(connection: Bus, name: string, timeoutMs = busTimeoutMs): Promise<boolean> {
  const call = { ...busDaemon, member: 'NameHasOwner', signature: 's', body: [name], timeoutMs };
  return (await connection.call(call))[0] === true;
}

/** There is no bus, or the owner has released the name between the two calls. */
function isGone(error: unknown): boolean {
  if (!(error instanceof BusError)) return false;
  return /^(Client\.NoBus|org\.freedesktop\.DBus\.Error\.(ServiceUnknown|NameHasNoOwner))$/.test(error.errorName);
}
