import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { addressIn, decodeMessage, nameIn, pairsIn, serviceIn } from './dns.decode.ts';
import {
  addressRecord,
  encodeMessage,
  nameBytes,
  pairsData,
  pointerData,
  serviceData,
  shortened,
} from './dns.encode.ts';
import { type DnsMessage, type DnsRecord, emptyMessage, recordTypes } from './dns.ts';

const label = fc.string({ minLength: 1, maxLength: 15, unit: 'grapheme-ascii' });
const name = fc.array(label, { minLength: 1, maxLength: 6 });
const record: fc.Arbitrary<DnsRecord> = fc
  .record({ name, unique: fc.boolean(), ttl: fc.nat(0xffff_ffff) })
  .chain((common) =>
    fc.oneof(
      name.map((target) => ({ ...common, type: recordTypes.PTR, data: pointerData(target) })),
      fc.tuple(fc.nat(65_535), name).map(([port, target]) => ({
        ...common,
        type: recordTypes.SRV,
        data: serviceData(port, target),
      })),
      fc.uint8Array({ maxLength: 300 }).map((data) => ({ ...common, type: recordTypes.TXT, data })),
    ),
  );
const message: fc.Arbitrary<DnsMessage> = fc.record({
  id: fc.nat(65_535),
  isResponse: fc.boolean(),
  questions: fc.array(fc.record({ name, type: fc.nat(65_535) }), { maxLength: 5 }),
  answers: fc.array(record, { maxLength: 5 }),
  authorities: fc.array(record, { maxLength: 3 }),
  additionals: fc.array(record, { maxLength: 3 }),
});

const readable = (entry: DnsRecord) => ({ ...entry, data: [...entry.data] });
const plain = ({ answers, authorities, additionals, ...rest }: DnsMessage) => ({
  ...rest,
  records: [answers, authorities, additionals].map((records) => records.map(readable)),
});

/** Sent by dns-sd of another vendor: names are compressed, also inside the data. */
const foreign = Buffer.from(
  `000084000000000200000000` +
    `085f7072696e746572045f746370056c6f63616c00` + // _printer._tcp.local at 12
    `000c000100001194000603626f78c00c` + // PTR box → 12; its label stands at 43
    `c02b00218001000000780008000000002382c015` + // box: SRV 9090 _tcp.local
    '',
  'hex',
);

describe('DNS messages', () => {
  test('encoding and decoding are inverse', () => {
    fc.assert(
      fc.property(message, (sent) => {
        expect(plain(decodeMessage(encodeMessage(sent)) ?? emptyMessage)).toEqual(plain(sent));
      }),
    );
  });

  test('names that point at earlier ones are written out', () => {
    const decoded = decodeMessage(foreign);
    expect(decoded?.answers.map(({ name: owner }) => owner)).toEqual([
      ['_printer', '_tcp', 'local'],
      ['box', '_printer', '_tcp', 'local'],
    ]);
    const [pointer, service] = decoded?.answers ?? [];
    expect(nameIn(pointer?.data ?? new Uint8Array())).toEqual(['box', '_printer', '_tcp', 'local']);
    expect(serviceIn(service?.data ?? new Uint8Array())).toEqual({ port: 9090, target: ['_tcp', 'local'] });
  });

  test('a name is written once and pointed at afterwards', () => {
    const question = { name: ['a'.repeat(60), 'local'], type: 1 };
    const once = encodeMessage({ ...emptyMessage, questions: [question] }).length;
    expect(encodeMessage({ ...emptyMessage, questions: [question, question] }).length).toBe(once + 6);
  });

  test.each([
    ['nothing', ''],
    ['half a header', '00008400'],
    ['a question that is not there', '000000000001000000000000'],
    ['a name that points at itself', '000000000001000000000000c00c00ff0001'],
    ['a name that points ahead', '000000000001000000000000c00e00ff0001'],
    ['a name that points into the header', '000000000001000000000000c00000ff0001'],
    ['two names that point at each other', '000000000001000000000000c00ec00c00ff0001'],
    ['a label of a kind that does not exist', '00000000000100000000000041616100ff0001'],
    ['a label that is longer than the packet', '0000000000010000000000003f6161'],
    ['data that is longer than the packet', '000084000000000100000000016100001000010000007800ff0161'],
    ['a service without room for its port', '00008400000000010000000001610000210001000000780003000000'],
    ['an operation other than a query', '000028000000000000000000'],
    ['more entries than a packet can hold', '00008400ffffffffffffffff'],
  ])('%s is no message', (_what, hex) => {
    expect(decodeMessage(Buffer.from(hex, 'hex'))).toBeNull();
  });

  test('the total length of compressed names is limited', () => {
    const long = nameBytes(Array.from({ length: 120 }, () => 'a'));
    const head = Buffer.from('000000000100000000000000', 'hex');
    const rest = Array.from({ length: 255 }, () => Buffer.from('c00c00ff0001', 'hex'));
    expect(decodeMessage(Buffer.concat([head, long, Buffer.from('00ff0001', 'hex'), ...rest]))).toBeNull();
  });

  test('never throws on arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        decodeMessage(bytes);
      }),
      { numRuns: 2000 },
    );
    const real = encodeMessage(decodeMessage(foreign) ?? emptyMessage);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(real.length - 1), fc.nat(255)), { maxLength: 8 }),
        fc.nat(real.length),
        (changes, end) => {
          const bytes = Buffer.from(real);
          for (const [at, value] of changes) bytes[at] = value;
          for (const { data } of decodeMessage(bytes.subarray(0, end))?.answers ?? []) {
            nameIn(data);
            serviceIn(data);
            pairsIn(data);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('DNS record data', () => {
  test.each(['192.168.1.5', '2001:db8::1', '::1', 'fe80::1:2:3:4', '1:2:3:4:5:6:7:8'])(
    '%s is the same address afterwards',
    (address) => {
      const made = addressRecord(['box', 'local'], address, 120);
      expect(made === null ? null : addressIn(made)).toBe(address);
    },
  );

  test.each(['', 'box', '1:2', '12345::', '1.2.3'])('%p is no address', (address) => {
    expect(addressRecord(['box', 'local'], address, 120)).toBeNull();
  });

  test('pairs keep their first value, with what comes after an equals sign', () => {
    expect([...pairsIn(pairsData({ ip: '10.0.0.1', path: 'a=b', empty: '' }))]).toEqual([
      ['ip', '10.0.0.1'],
      ['path', 'a=b'],
      ['empty', ''],
    ]);
    expect([...pairsIn(Buffer.from('\x03a=1\x03A=2\x01b\x02=x'))]).toEqual([
      ['a', '1'],
      ['b', ''],
    ]);
  });

  test('a pair that is too long for its length is left out', () => {
    expect([...pairsIn(pairsData({ long: 'x'.repeat(256), ip: '10.0.0.1' })).keys()]).toEqual(['ip']);
  });

  test('a name is shortened between characters', () => {
    expect(shortened('ééé', 5)).toBe('éé');
    expect(shortened('box', 63)).toBe('box');
  });
});

test('a long chain of pointers is refused: every name of a message could follow it', () => {
  const links = 2000;
  const chain = Buffer.alloc(1 + 2 * links);
  // The data of the first record begins at 12 + 11; each pointer leads to the one before.
  for (let at = 0; at < links; at++) chain.writeUInt16BE(0xc000 | (23 + (at === 0 ? 0 : 2 * at - 1)), 1 + 2 * at);
  const record = (name: Buffer, data: Buffer) => {
    const fixed = Buffer.from([0, 16, 0, 1, 0, 0, 0, 0, data.length >> 8, data.length & 0xff]);
    return Buffer.concat([name, fixed, data]);
  };
  const last = Buffer.alloc(2);
  const header = Buffer.from([0, 0, 0x84, 0, 0, 0, 0, 2, 0, 0, 0, 0]);
  const packet = (at: number) => {
    last.writeUInt16BE(0xc000 | (23 + 1 + 2 * (at - 1)));
    return Buffer.concat([header, record(Buffer.from([0]), chain), record(last, Buffer.alloc(0))]);
  };
  expect(decodeMessage(packet(10))?.answers).toHaveLength(2);
  expect(decodeMessage(packet(links))).toBeNull();
});
