import { BusError, variant } from './dbus.ts';
import type { CallReply } from './link.ts';
import type { BusMessage } from './message.ts';
import { parseSignature, type Type } from './signature.ts';
import { wrap } from './wrap.ts';

/** The objects exported on this connection. */
export interface Offers {
  /** Never rejects: the caller receives any failure as an error. */
  handle(message: BusMessage): Promise<CallReply>;
}

/** The objects by their paths, and their interfaces by their names. */
export type OfferedObjects = Record<string, Record<string, OfferedInterface>>;

export interface OfferedInterface {
  methods?: Record<string, OfferedMethod>;
  properties?: Record<string, OfferedProperty>;
  /** Their signatures, for introspection. */
  signals?: Record<string, string>;
}

export interface OfferedMethod {
  /** Signatures of input and output. Calls with other values are refused. */
  takes: string;
  gives: string;
  run(values: unknown[]): unknown[] | Promise<unknown[]>;
}

/** Read-only. */
export interface OfferedProperty {
  type: string;
  read(): unknown;
}

/** Any process on the bus may call, so the cost is bounded. */
export interface OfferLimits {
  /** Calls per window, far above legitimate use. */
  most: number;
  whileMs: number;
  now(): number;
  /** The limit was exceeded. Calls are refused until the window ends; called once in it. */
  flooded(): void;
}

/** Maximum of pending calls. */
const mostWaiting = 64;
const properties = 'org.freedesktop.DBus.Properties';

export function createOffers(objects: OfferedObjects, { most, whileMs, now, flooded }: OfferLimits): Offers {
  const tree = new Map(Object.entries(objects).map(([path, interfaces]) => [path, withStandard(interfaces)]));
  let counted = { since: Number.NEGATIVE_INFINITY, calls: 0 };
  let waiting = 0;

  const isTooMuch = () => {
    if (now() - counted.since >= whileMs) counted = { since: now(), calls: 0 };
    counted.calls++;
    if (counted.calls === most + 1) flooded();
    return counted.calls > most || waiting >= mostWaiting;
  };

  return {
    async handle(message) {
      // Before the body is parsed.
      if (isTooMuch()) return tooMany;
      waiting++;
      try {
        const { gives, run, takes } = find(tree, message);
        if ((message.signature ?? '') !== takes)
          throw new BusError(names.invalid, `${message.member} takes "${takes}", not "${message.signature ?? ''}".`);
        const values = await run(message.body);
        return gives === '' ? {} : { signature: gives, body: wrap(gives, values) };
      } catch (error) {
        return refusal(error);
      } finally {
        waiting--;
      }
    },
  };
}

const names = {
  object: 'org.freedesktop.DBus.Error.UnknownObject',
  interface: 'org.freedesktop.DBus.Error.UnknownInterface',
  method: 'org.freedesktop.DBus.Error.UnknownMethod',
  property: 'org.freedesktop.DBus.Error.UnknownProperty',
  readOnly: 'org.freedesktop.DBus.Error.PropertyReadOnly',
  invalid: 'org.freedesktop.DBus.Error.InvalidArgs',
  failed: 'org.freedesktop.DBus.Error.Failed',
  limits: 'org.freedesktop.DBus.Error.LimitsExceeded',
};

const tooMany: CallReply = { errorName: names.limits };

/** Internal errors are not sent: they may contain anything. */
function refusal(error: unknown): CallReply {
  const isOurs = error instanceof BusError && error.errorName.startsWith('org.freedesktop.DBus.Error.');
  const { errorName, message } = isOurs ? error : { errorName: names.failed, message: 'This call failed.' };
  return { errorName, signature: 's', body: wrap('s', [message.replaceAll('\0', '').slice(0, 500)]) };
}

type Tree = ReadonlyMap<string, ReadonlyMap<string, OfferedInterface>>;

/** Without an interface, the first one that has the method. */
function find(tree: Tree, { path = '', interface: iface, member = '' }: BusMessage): OfferedMethod {
  const object = tree.get(path);
  if (object === undefined) throw new BusError(names.object, 'There is no such object.');
  const candidates = iface === undefined ? [...object.values()] : [object.get(iface)];
  for (const candidate of candidates) {
    const method = own(candidate?.methods, member);
    if (method !== undefined) return method;
  }
  throw new BusError(names.method, 'There is no such method.');
}

/** Names are untrusted: `constructor` is not one of ours. */
function own<T>(table: Record<string, T> | undefined, name: string): T | undefined {
  return table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}

/** https://dbus.freedesktop.org/doc/dbus-specification.html#standard-interfaces */
function withStandard(interfaces: Record<string, OfferedInterface>): Map<string, OfferedInterface> {
  const all = new Map(Object.entries(interfaces));
  const named = (name: unknown) => {
    const found = all.get(String(name));
    if (found === undefined) throw new BusError(names.interface, 'There is no such interface.');
    return found.properties ?? {};
  };
  const readNow = ({ type, read }: OfferedProperty) => variant(type, read());
  const standard: Record<string, OfferedInterface> = {
    [properties]: {
      methods: {
        Get: {
          takes: 'ss',
          gives: 'v',
          run([iface, name]) {
            const property = own(named(iface), String(name));
            if (property === undefined) throw new BusError(names.property, 'There is no such property.');
            return [readNow(property)];
          },
        },
        GetAll: {
          takes: 's',
          gives: 'a{sv}',
          run: ([iface]) => [
            Object.fromEntries(Object.entries(named(iface)).map(([name, property]) => [name, readNow(property)])),
          ],
        },
        Set: {
          takes: 'ssv',
          gives: '',
          run() {
            throw new BusError(names.readOnly, 'The properties of this object are read-only.');
          },
        },
      },
      signals: { PropertiesChanged: 'sa{sv}as' },
    },
    'org.freedesktop.DBus.Peer': { methods: { Ping: { takes: '', gives: '', run: () => [] } } },
    'org.freedesktop.DBus.Introspectable': {
      methods: { Introspect: { takes: '', gives: 's', run: () => [description(all)] } },
    },
  };
  for (const [name, one] of Object.entries(standard)) all.set(name, one);
  return all;
}

/** https://dbus.freedesktop.org/doc/dbus-specification.html#introspection-format */
function description(interfaces: ReadonlyMap<string, OfferedInterface>): string {
  const args = (signature: string, direction: string) =>
    parseSignature(signature).map((type) => `<arg type="${textOf(type)}"${direction}/>`);
  const lines = [...interfaces].map(([name, { methods = {}, properties: readable = {}, signals = {} }]) => {
    const inside = [
      ...Object.entries(methods).map(
        ([method, { takes, gives }]) =>
          `<method name="${method}">${[...args(takes, ' direction="in"'), ...args(gives, ' direction="out"')].join('')}</method>`,
      ),
      ...Object.entries(readable).map(
        ([property, { type }]) => `<property name="${property}" type="${type}" access="read"/>`,
      ),
      ...Object.entries(signals).map(
        ([signal, signature]) => `<signal name="${signal}">${args(signature, '').join('')}</signal>`,
      ),
    ];
    return `<interface name="${name}">${inside.join('')}</interface>`;
  });
  return `<node>${lines.join('')}</node>`;
}

function textOf({ code, parts }: Type): string {
  const inside = parts.map(textOf).join('');
  if (code === '(') return `(${inside})`;
  return code === '{' ? `{${inside}}` : `${code}${inside}`;
}
