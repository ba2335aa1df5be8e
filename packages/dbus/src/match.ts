import type { SignalMatch } from './dbus.ts';
import type { BusMessage } from './message.ts';

/** The match rule for the bus. https://dbus.freedesktop.org/doc/dbus-specification.html#message-bus-routing-match-rules */
export function toRule(match: SignalMatch): string {
  const keys = {
    type: 'signal',
    sender: match.sender,
    interface: match.interface,
    member: match.member,
    path: match.path,
    path_namespace: match.pathNamespace,
    arg0: match.arg0,
    arg0namespace: match.arg0Namespace,
  };
  return Object.entries(keys)
    .flatMap(([key, value]) => (value === undefined ? [] : `${key}='${value.replaceAll("'", "'\\''")}'`))
    .join(',');
}

/** The bus sends what matches any rule of this connection, so signals are matched again for each subscriber. */
export function matches(match: SignalMatch, signal: Matched, ownerOf: (name: string) => string | null): boolean {
  return (
    match.interface === signal.interface &&
    isOrOpen(match.member, signal.member) &&
    isOrOpen(match.path, signal.path) &&
    (match.pathNamespace === undefined || isBelow(signal.path ?? '', match.pathNamespace)) &&
    (match.sender === undefined || match.sender === signal.sender || ownerOf(match.sender) === signal.sender) &&
    // Last, because the body is parsed on first access.
    (match.arg0 === undefined || match.arg0 === signal.body?.[0]) &&
    (match.arg0Namespace === undefined || isWithin(signal.body?.[0], match.arg0Namespace))
  );
}

type Matched = Partial<Pick<BusMessage, 'sender' | 'path' | 'interface' | 'member' | 'body'>>;

function isOrOpen(wanted: string | undefined, found: unknown): boolean {
  return wanted === undefined || wanted === found;
}

function isBelow(path: string, namespace: string): boolean {
  return namespace === '/' || path === namespace || path.startsWith(`${namespace}/`);
}

function isWithin(name: unknown, namespace: string): boolean {
  return name === namespace || (typeof name === 'string' && name.startsWith(`${namespace}.`));
}
