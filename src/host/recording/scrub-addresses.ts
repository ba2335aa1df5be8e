import { isIPv4, isIPv6 } from 'node:net';
import type { StandIns } from './stand-ins.ts';

/** Addresses of networks and interfaces in texts, and as the tables of the kernel write them. */
export function createAddressScrubber(standIns: StandIns) {
  const ip4 = (address: string): string => {
    if (!isIPv4(address) || /^(0|127|255|22[4-9]|23\d)\./.test(address)) return address;
    const network = isPrivate(address) ? '10.0' : '198.51';
    return standIns.of('IPv4 address', address, (number) => `${network}.${(number >> 8) & 255}.${number & 255}`);
  };
  const ip6 = (address: string): string => {
    if (!isIPv6(address) || /^(::1?$|ff)/i.test(address)) return address;
    const within = /^(::ffff:)(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
    if (within !== null) return `${within[1]}${ip4(within[2] ?? '')}`;
    const network = /^fe[89ab]/i.test(address) ? 'fe80' : '2001:db8';
    return standIns.of('IPv6 address', address.toLowerCase(), (number) => `${network}::${number.toString(16)}`);
  };
  /** At the end of a clause a full stop or a colon follows the address. */
  const withoutEnd = (run: string) =>
    !isIPv6(run) && /[.:]$/.test(run) ? ip6(run.slice(0, -1)) + run.slice(-1) : ip6(run);
  const mac = (address: string): string => {
    const digits = address.replace(/[^0-9a-f]/gi, '').toLowerCase();
    if (/^(0{12}|f{12})$/.test(digits)) return address;
    const standIn = standIns.of('hardware address', digits, (number) => `02${number.toString(16).padStart(10, '0')}`);
    let at = 0;
    // In the notation of the original.
    return address.replace(/[0-9a-f]/gi, () => standIn[at++] ?? '0');
  };
  return {
    text: (text: string) =>
      text
        .replace(/(?<![0-9a-f])(?:[0-9a-f]{2}[:_-]){5}[0-9a-f]{2}(?![0-9a-f])/gi, mac)
        .replace(/(?<=\b(?:enx|wlx|wwx))[0-9a-f]{12}\b/g, mac)
        // Only the characters, in linear time: a program may put thousands of colons into its name.
        .replace(/(?<![\w:.])[0-9a-f:.]{2,}(?![\w:])/gi, withoutEnd)
        .replace(/(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])/g, ip4),
    /** /proc/net/tcp and its kin: eight or 32 digits, each word in the order of this processor. */
    kernelTable: (text: string) =>
      text
        .replace(/(?<![0-9A-Fa-f])[0-9A-F]{32}(?=:)/g, (digits) => encode(ip6(decode(digits, true)), digits, true))
        .replace(/(?<![0-9A-Fa-f])[0-9a-f]{32}(?= )/g, (digits) => encode(ip6(decode(digits, false)), digits, false))
        .replace(/(?<=[\s])[0-9A-F]{8}(?=[\s:])/g, (digits) => encode(ip4(decode(digits, true)), digits, true)),
  };
}

const isPrivate = (address: string) => /^(10|192\.168|172\.(1[6-9]|2\d|3[01])|169\.254)\./.test(address);

/** Words of four bytes, of which the last comes first. */
const turned = (bytes: Buffer, isTurned: boolean) =>
  isTurned ? Buffer.concat(chunks(bytes).map((word) => Buffer.from(word).reverse())) : bytes;

const chunks = (bytes: Buffer) =>
  Array.from({ length: bytes.length / 4 }, (_, index) => bytes.subarray(index * 4, index * 4 + 4));

function decode(digits: string, isTurned: boolean): string {
  const bytes = turned(Buffer.from(digits, 'hex'), isTurned);
  if (bytes.length === 4) return [...bytes].join('.');
  const isMapped = bytes.subarray(0, 12).toString('hex') === '00000000000000000000ffff';
  if (isMapped) return `::ffff:${[...bytes.subarray(12)].join('.')}`;
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16));
  const long = groups.join(':');
  // The two unassigned addresses are recognised by their short forms.
  if (long === '0:0:0:0:0:0:0:0') return '::';
  return long === '0:0:0:0:0:0:0:1' ? '::1' : long;
}

function encode(address: string, before: string, isTurned: boolean): string {
  const text = turned(bytesOf(address), isTurned).toString('hex');
  return before === before.toUpperCase() ? text.toUpperCase() : text;
}

function bytesOf(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  if (mapped !== null)
    return Buffer.concat([Buffer.from('00000000000000000000ffff', 'hex'), bytesOf(mapped[1] ?? '0.0.0.0')]);
  const [front = '', back = ''] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const [first, last] = [groups(front), groups(back)];
  const all = [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
  const bytes = Buffer.alloc(16);
  for (const [index, group] of all.entries()) bytes.writeUInt16BE(group, index * 2);
  return bytes;
}
