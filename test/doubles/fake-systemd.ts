import { type Bus, type BusCall, BusError, type Signal, type SignalMatch } from '@hostler/dbus/dbus.ts';
import { matches } from '@hostler/dbus/match.ts';

const name = 'org.freedesktop.systemd1';
const unitPath = `/${name.replaceAll('.', '/')}/unit`;

export interface FakeUnit {
  description?: string;
  load?: string;
  active?: string;
  sub?: string;
  /** Properties by their last name, of any interface. */
  properties?: Record<string, unknown>;
}

export interface FakeSystemd extends Bus {
  calls: BusCall[];
  units: Map<string, Required<FakeUnit>>;
  state: string;
  /** Replaces the usual effect of a call, by its member. */
  answers: Record<string, (call: BusCall) => unknown[] | Promise<unknown[]>>;
  /** The number of subscriptions. */
  subscriptions(): number;
  count(member: string): number;
  pathOf(unit: string): string;
  /** Changes a unit and announces it. */
  change(unit: string, given: FakeUnit): void;
  emit(member: string, body: unknown[]): void;
  restart(): void;
}

/** A systemd on a private bus, as far as units go. */
export function fakeSystemd(units: Record<string, FakeUnit> = {}): FakeSystemd {
  const followed = new Set<{ match: SignalMatch; deliver(signal: Signal): void }>();
  const reconnected = new Set<() => void>();
  const calls: BusCall[] = [];
  const pathOf = (unit: string) =>
    `${unitPath}/${unit.replace(/[^A-Za-z0-9]/g, (c) => `_${c.charCodeAt(0).toString(16)}`)}`;
  const nameOf = (path: string) =>
    path
      .slice(unitPath.length + 1)
      .replace(/_([0-9a-f]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  const send = (signal: Omit<Signal, 'sender'>, sender = name) => {
    for (const { match, deliver } of followed)
      if (matches(match, { ...signal, sender }, (owned) => owned)) deliver({ ...signal, sender });
  };
  const emit = (member: string, body: unknown[]) =>
    send({ path: `/${name.replaceAll('.', '/')}`, interface: `${name}.Manager`, member, body });
  const complete = (given: FakeUnit): Required<FakeUnit> => ({
    description: 'What it is for',
    load: 'loaded',
    active: 'active',
    sub: 'running',
    properties: {},
    ...given,
  });
  const rows = (wanted: (unit: string, known: Required<FakeUnit>) => boolean) => [
    [...fake.units].flatMap(([unit, known]) =>
      wanted(unit, known)
        ? [[unit, known.description, known.load, known.active, known.sub, '', pathOf(unit), 0, '', '/']]
        : [],
    ),
  ];
  const usual: FakeSystemd['answers'] = {
    NameHasOwner: () => [true],
    Subscribe: () => [],
    Unsubscribe: () => [],
    ListUnitsByPatterns: () => rows((unit) => unit.endsWith('.service')),
    ListUnitsFiltered: () => rows((_, { active }) => active === 'failed'),
    Get({ path, body = [] }) {
      const property = String(body[1]);
      if (property === 'SystemState') return [fake.state];
      const found = fake.units.get(nameOf(path));
      if (found === undefined) throw new BusError('org.freedesktop.DBus.Error.UnknownObject', `There is no ${path}`);
      const states: Record<string, unknown> = { ActiveState: found.active, SubState: found.sub, LoadState: found.load };
      const value = found.properties[property] ?? states[property];
      if (value === undefined)
        throw new BusError('org.freedesktop.DBus.Error.UnknownProperty', `There is no ${property}`);
      return [value];
    },
  };
  const fake: FakeSystemd = {
    calls,
    units: new Map(Object.entries(units).map(([unit, given]) => [unit, complete(given)])),
    state: 'running',
    answers: {},
    subscriptions: () => followed.size,
    count: (member) => calls.filter((call) => call.member === member).length,
    pathOf,
    change(unit, given) {
      const known = fake.units.get(unit);
      const next = complete({ ...known, ...given, properties: { ...known?.properties, ...given.properties } });
      fake.units.set(unit, next);
      if (known === undefined) return emit('UnitNew', [unit, pathOf(unit)]);
      const announce = (kind: string, values: Record<string, unknown>) =>
        send({
          path: pathOf(unit),
          interface: 'org.freedesktop.DBus.Properties',
          member: 'PropertiesChanged',
          body: [`${name}.${kind}`, values, []],
        });
      announce('Service', next.properties);
      announce('Unit', { ActiveState: next.active, SubState: next.sub, ...next.properties });
    },
    emit,
    restart() {
      for (const found of reconnected) found();
    },
    async call(call) {
      calls.push(call);
      const answer = fake.answers[call.member] ?? usual[call.member];
      if (answer !== undefined) return await answer(call);
      throw new BusError('org.freedesktop.DBus.Error.UnknownMethod', `There is no ${call.interface}.${call.member}`);
    },
    async subscribe(match, deliver) {
      const entry = { match, deliver };
      followed.add(entry);
      return () => void followed.delete(entry);
    },
    onReconnected(found) {
      reconnected.add(found);
      return () => void reconnected.delete(found);
    },
    close: () => {},
  };
  return fake;
}
