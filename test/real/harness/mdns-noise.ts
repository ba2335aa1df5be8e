/** Sends junk to the multicast group of mDNS: mdns-noise.ts <address of the interface> <packets> */
import { randomBytes } from 'node:crypto';
import dgram from 'node:dgram';
import { encodeMessage, nameBytes } from '@hostler/mdns/dns.encode.ts';
import { emptyMessage, recordTypes } from '@hostler/mdns/dns.ts';

const [address = '', count = '1000'] = process.argv.slice(2);
const socket = dgram.createSocket({ type: 'udp4', reuseAddr: true });
await new Promise<void>((resolve) => socket.bind(5353, '224.0.0.251', () => resolve()));
socket.setMulticastInterface(address);

const type = ['_hostler', '_tcp', 'local'];
const question = encodeMessage({ ...emptyMessage, questions: [{ name: type, type: recordTypes.PTR }] });
const record = { name: ['x', ...type], type: recordTypes.SRV, unique: true, ttl: 120, data: randomBytes(40) };
const response = encodeMessage({
  ...emptyMessage,
  isResponse: true,
  answers: [record, { ...record, type: recordTypes.TXT }],
});
const probe = encodeMessage({
  ...emptyMessage,
  questions: [{ name: ['x', ...type], type: 255 }],
  authorities: [record],
});
const any = (limit: number) => Math.floor(Math.random() * limit);
const header = (...counts: number[]) =>
  Buffer.from([0, 0, 0x84, 0, ...counts.flatMap((number) => [number >> 8, number & 255])]);

const kinds: (() => Uint8Array)[] = [
  () => new Uint8Array(0),
  () => randomBytes(any(1400)),
  () => question.subarray(0, any(question.length)),
  () => response.subarray(0, any(response.length)),
  () => changed(response),
  () => changed(probe),
  () => changed(question),
  // Names that point at themselves, forward, or at each other.
  () =>
    Buffer.concat([header(1, 1, 0, 0), nameBytes(type), Buffer.from([0xc0, 12 + any(40), 0xc0, any(60), 0, 12, 0, 1])]),
  // The longest names by pointing, as often as it fits.
  () =>
    Buffer.concat([
      header(200, 0, 0, 0),
      nameBytes(['_hostler', ...Array.from({ length: 100 }, () => 'a')]),
      Buffer.from([0, 12, 0, 1]),
      ...Array.from({ length: 199 }, () => Buffer.from([0xc0, 12, 0, 12, 0, 1])),
    ]),
  // More than there is.
  () => Buffer.concat([header(65_535, 65_535, 65_535, 65_535), nameBytes(type)]),
];

function changed(bytes: Uint8Array): Uint8Array {
  const copy = Buffer.from(bytes);
  for (let times = any(6); times >= 0; times--) copy[any(copy.length)] = any(256);
  return copy;
}

for (let index = 0; index < Number(count); index++) {
  const make = kinds[index % kinds.length];
  await new Promise<void>((resolve) => socket.send(make?.() ?? '', 5353, '224.0.0.251', () => resolve()));
  if (index % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
}
socket.close();
console.log('sent');
