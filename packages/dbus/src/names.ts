import { type BusCall, BusError, type SignalMatch } from './dbus.ts';

/**
 * Refuses names at which the bus would disconnect, and those that could inject into a match rule.
 * https://dbus.freedesktop.org/doc/dbus-specification.html#message-protocol-names
 */
export function checkCall(call: BusCall): void {
  expect(isBusName, call.destination, 'bus name');
  expect(isObjectPath, call.path, 'object path');
  expect(isInterfaceName, call.interface, 'interface name');
  expect(isMemberName, call.member, 'member name');
}

export function checkMatch(match: SignalMatch): void {
  expect(isInterfaceName, match.interface, 'interface name');
  if (match.sender !== undefined) expect(isBusName, match.sender, 'bus name');
  if (match.member !== undefined) expect(isMemberName, match.member, 'member name');
  if (match.path !== undefined) expect(isObjectPath, match.path, 'object path');
  if (match.pathNamespace !== undefined) expect(isObjectPath, match.pathNamespace, 'object path');
  if (match.arg0 !== undefined) expect(isText, match.arg0, 'first argument');
  if (match.arg0Namespace !== undefined) expect(isBusName, match.arg0Namespace, 'bus name');
  if (match.path !== undefined && match.pathNamespace !== undefined) {
    throw new BusError('Client.Invalid', 'A signal is matched by its path or by a path namespace, not by both.');
  }
}

/** Well-known (org.freedesktop.login1) or unique (:1.42). */
export function isBusName(name: unknown): boolean {
  return isShort(name) && (wellKnown.test(name) || unique.test(name));
}

export function isObjectPath(path: unknown): path is string {
  return typeof path === 'string' && path.length <= longestPath && objectPath.test(path);
}

export function isInterfaceName(name: unknown): boolean {
  return isShort(name) && interfaceName.test(name);
}

export function isMemberName(name: unknown): boolean {
  return isShort(name) && memberName.test(name);
}

/** A NUL would end the string early for a reader in C. */
export function isText(text: unknown): text is string {
  return typeof text === 'string' && !text.includes('\0');
}

// The specification has no limit for paths; this is far above real ones.
const longestPath = 4096;
// In each of these the separator is not part of the element, so they match in linear time.
const wellKnown = /^[A-Za-z_-][A-Za-z0-9_-]*(?:\.[A-Za-z_-][A-Za-z0-9_-]*)+$/;
const unique = /^:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+$/;
const objectPath = /^\/(?:[A-Za-z0-9_]+(?:\/[A-Za-z0-9_]+)*)?$/;
const interfaceName = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)+$/;
const memberName = /^[A-Za-z_][A-Za-z0-9_]*$/;

function isShort(name: unknown): name is string {
  return typeof name === 'string' && name.length <= 255;
}

function expect(isValid: (value: unknown) => boolean, value: unknown, kind: string): void {
  if (!isValid(value)) throw new BusError('Client.Invalid', `${quote(value)} is not a valid D-Bus ${kind}.`);
}

function quote(value: unknown): string {
  return JSON.stringify(String(value).slice(0, 80));
}
