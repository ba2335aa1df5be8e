import { describe, expect, test } from 'bun:test';
import { type FakeClock, fakeClock } from '@hostler/io/testing/fake-clock.ts';
import { type Advertiser, createAdvertiser } from './advertiser.ts';
import { createBrowser } from './browser.ts';
import { addressIn, decodeMessage } from './dns.decode.ts';
import { encodeMessage, pairsData } from './dns.encode.ts';
import { type DnsMessage, emptyMessage, recordTypes } from './dns.ts';
import type { MdnsPeer } from './links.ts';
import type { AnnouncedService } from './records.ts';

const types = [
  ['_printer', '_tcp', 'local'],
  ['_scanner', '_tcp', 'local'],
];
const addresses = ['10.0.0.1', '2001:db8::1'];

/** A service that takes the names box, box (2), box (3) … */
const service =
  (given: Partial<AnnouncedService> = {}) =>
  (attempt: number): AnnouncedService => ({
    instance: attempt === 1 ? 'box' : `box (${attempt})`,
    types,
    host: [attempt === 1 ? 'box-service' : `box-service-${attempt}`, 'local'],
    port: 9100,
    addresses,
    pairs: { id: 'one' },
    ...given,
  });

/** A link on which every station receives every packet, its own included. */
function createLink() {
  const clock = fakeClock();
  const stations: ((bytes: Uint8Array, from: MdnsPeer) => void)[] = [];
  const packets: DnsMessage[] = [];
  const replies: { message: DnsMessage; to: MdnsPeer }[] = [];
  const reported: string[] = [];
  const decoded = (bytes: Uint8Array) => decodeMessage(bytes) ?? emptyMessage;
  const broadcast = (bytes: Uint8Array, from: MdnsPeer) => {
    packets.push(decoded(bytes));
    clock.after(1, () => {
      for (const receive of stations) receive(bytes, from);
    });
  };
  let stationNumber = 0;
  const station = (): Advertiser => {
    stationNumber += 1;
    const from = { address: `10.0.0.${stationNumber}`, port: 5353 };
    const spread = stationNumber / 10;
    const advertiser = createAdvertiser(
      {
        send: async (bytes) => broadcast(bytes, from),
        reply: async (bytes, to) => void replies.push({ message: decoded(bytes), to }),
        after: clock.after,
        monotonic: clock.monotonic,
        random: () => spread,
      },
      {
        established: (name) => void reported.push(name),
        exhausted: (pauseMs) => void reported.push(`silent for ${pauseMs / 60_000} min`),
      },
    );
    stations.push(advertiser.receive);
    return advertiser;
  };
  const browse = () => {
    const browser = createBrowser(types, async (bytes) => broadcast(bytes, { address: '10.0.0.99', port: 5353 }));
    stations.push((bytes) => browser.receive(bytes));
    browser.ask();
    clock.advance(200);
    return browser;
  };
  const ask = (message: Partial<DnsMessage>, port = 5353) =>
    broadcast(encodeMessage({ ...emptyMessage, ...message }), { address: '10.0.0.50', port });
  const responses = () => packets.filter(({ isResponse }) => isResponse);
  return { clock, station, packets, replies, reported, browse, ask, responses };
}

const settle = (clock: FakeClock) => clock.advance(10_000);
const question = { name: ['_printer', '_tcp', 'local'], type: recordTypes.PTR };

describe('announcing a service', () => {
  test('probes for the name three times, then announces it twice', () => {
    const { clock, station, packets } = createLink();
    station().advertise(service());
    settle(clock);
    expect(packets.map(({ isResponse }) => isResponse)).toEqual([false, false, false, true, true]);
    expect(packets[0]?.questions.map(({ name }) => name.join('.'))).toEqual([
      'box._printer._tcp.local',
      'box._scanner._tcp.local',
      'box-service.local',
    ]);
  });

  test('no timer is left after the announcement', () => {
    const { clock, station } = createLink();
    station().advertise(service());
    settle(clock);
    expect(clock.advanceToNext()).toBe(false);
  });

  test('a changed address is announced under the same name', () => {
    const { clock, station, browse } = createLink();
    const box = station();
    box.advertise(service());
    settle(clock);
    box.advertise(service({ addresses: ['10.0.0.7'] }));
    settle(clock);
    const found = browse().found();
    expect(found.map(({ name, addresses }) => [name, addresses])).toEqual([
      ['box', ['10.0.0.7']],
      ['box', ['10.0.0.7']],
    ]);
  });

  test('an address of a removed family is withdrawn', () => {
    const { clock, station, responses } = createLink();
    const box = station();
    box.advertise(service());
    settle(clock);
    const before = responses().length;
    box.advertise(service({ addresses: ['10.0.0.1'] }));
    const [taken] = responses().slice(before);
    expect(taken?.answers.map((record) => [addressIn(record), record.ttl])).toEqual([['2001:db8::1', 0]]);
  });

  test('withdrawing removes its own records, but not the shared record of the service type', async () => {
    const { clock, station, responses } = createLink();
    const box = station();
    box.advertise(service());
    settle(clock);
    const before = responses().length;
    await box.withdraw();
    const [goodbye] = responses().slice(before);
    expect(goodbye?.answers.every(({ ttl }) => ttl === 0)).toBe(true);
    expect(goodbye?.answers.filter(({ type }) => type === recordTypes.PTR).map(({ name }) => name[0])).toEqual([
      '_printer',
      '_scanner',
    ]);
  });

  test('withdrawing removes the announced records also while a change is pending', async () => {
    const { clock, station, responses } = createLink();
    const box = station();
    box.advertise(service());
    settle(clock);
    box.advertise(service({ addresses: ['10.0.0.7'] }));
    const before = responses().length;
    await box.withdraw();
    const [goodbye] = responses().slice(before);
    expect(goodbye?.answers.flatMap((record) => addressIn(record) ?? [])).toEqual(addresses);
  });

  test('withdrawing before the first announcement sends nothing', async () => {
    const { clock, station, packets } = createLink();
    const box = station();
    box.advertise(service());
    await box.withdraw();
    settle(clock);
    expect(packets).toEqual([]);
  });
});

describe('answering mDNS queries', () => {
  const established = () => {
    const link = createLink();
    link.station().advertise(service());
    settle(link.clock);
    link.packets.length = 0;
    return link;
  };

  test('a browser finds everything about the service', () => {
    const { browse } = established();
    const found = {
      name: 'box',
      host: ['box-service', 'local'],
      port: 9100,
      addresses,
      pairs: new Map([['id', 'one']]),
    };
    expect(browse().found()).toEqual(types.map((type) => ({ ...found, type })));
  });

  test('a thousand simultaneous queries get one answer', () => {
    const { clock, ask, responses } = established();
    for (let index = 0; index < 1000; index++) ask({ questions: [question] });
    settle(clock);
    expect(responses()).toHaveLength(1);
  });

  test('a query that includes the known answer gets none', () => {
    const { clock, ask, responses } = established();
    ask({ questions: [question] });
    settle(clock);
    const known = responses()[0]?.answers ?? [];
    ask({ questions: [question], answers: known });
    settle(clock);
    expect(responses()).toHaveLength(1);
  });

  test('a simple resolver gets a unicast answer, with its query id and a short TTL', () => {
    const { clock, ask, responses, replies } = established();
    ask({ id: 4711, questions: [question] }, 40_000);
    settle(clock);
    expect(responses()).toEqual([]);
    expect(replies).toHaveLength(1);
    expect(replies[0]).toMatchObject({ to: { port: 40_000 }, message: { id: 4711, isResponse: true } });
    expect(replies[0]?.message.answers.every(({ ttl, unique }) => ttl <= 10 && !unique)).toBe(true);
  });

  test('an answer to a simple resolver is short, however many questions it asks', () => {
    const { clock, ask, replies } = established();
    const others = Array.from({ length: 102 }, (_, index) => ({ ...question, name: [`${index}${'x'.repeat(60)}`] }));
    // Names that differ in case only are not compressed.
    const same = Array.from({ length: 128 }, (_, index) => ({
      ...question,
      name: question.name.map((label, at) =>
        at > 0 ? label : [...label].map((sign, bit) => (index & (1 << (bit - 1)) ? sign.toUpperCase() : sign)).join(''),
      ),
    }));
    ask({ questions: [...others, ...same] }, 40_000);
    settle(clock);
    expect(replies[0]?.message.questions.map(({ name }) => name[1])).toEqual(Array(8).fill('_tcp'));
  });

  test.each([
    ['other services', [{ name: ['_http', '_tcp', 'local'], type: recordTypes.PTR }]],
    ['the plain name of the machine, which is not ours to give', [{ name: ['box', 'local'], type: recordTypes.A }]],
    ['another type of a name of ours', [{ ...question, type: recordTypes.SRV }]],
  ])('a question for %s is not answered', (_what, questions) => {
    const { clock, ask, responses } = established();
    ask({ questions });
    settle(clock);
    expect(responses()).toEqual([]);
  });
});

describe('conflicts of service names', () => {
  test('the second machine of the same name chooses another', () => {
    const { clock, station, browse } = createLink();
    station().advertise(service({ types: types.slice(0, 1) }));
    settle(clock);
    station().advertise(service({ types: types.slice(0, 1), pairs: { id: 'other' } }));
    settle(clock);
    expect(
      browse()
        .found()
        .map(({ name, pairs }) => [name, pairs.get('id')]),
    ).toEqual([
      ['box', 'one'],
      ['box (2)', 'other'],
    ]);
  });

  test('two machines that start at the same moment agree on their names', () => {
    const { clock, station, browse } = createLink();
    for (const id of ['one', 'two', 'three']) station().advertise(service({ types: types.slice(0, 1), pairs: { id } }));
    settle(clock);
    expect(
      browse()
        .found()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['box', 'box (2)', 'box (3)']);
  });

  test('two established machines with the same name agree after their networks were joined', () => {
    const { clock, station, browse, ask } = createLink();
    station().advertise(service());
    settle(clock);
    const other = { name: ['box', '_printer', '_tcp', 'local'], type: recordTypes.TXT, unique: true, ttl: 4500 };
    ask({ isResponse: true, answers: [{ ...other, data: pairsData({ id: 'other' }) }] });
    clock.advance(300);
    // The other one defends it.
    ask({ isResponse: true, answers: [{ ...other, data: pairsData({ id: 'other' }) }] });
    settle(clock);
    expect(browse().found()).toMatchObject([{ name: 'box (2)' }, { name: 'box (2)' }]);
  });

  test('while every name is disputed it is tried again after growing pauses, then announced under its first name', () => {
    const { clock, station, reported, ask, packets } = createLink();
    station().advertise(service());
    const dispute = (times: number, everyMs: number) => {
      for (let index = 0; index < times; index++) {
        const name = packets.findLast(({ questions }) => questions.length > 0)?.questions[0]?.name ?? [];
        ask({
          isResponse: true,
          answers: [{ name, type: recordTypes.TXT, unique: true, ttl: 4500, data: pairsData({ id: 'evil' }) }],
        });
        clock.advance(everyMs);
      }
    };
    const pauses = () => reported.filter((text) => text.startsWith('silent'));
    const probed = () => packets.filter(({ questions }) => questions.length > 0).length;
    dispute(400, 1000);
    const before = probed();
    dispute(100, 1000);
    expect([pauses(), probed()]).toEqual([['silent for 10 min'], before]);
    dispute(1000, 10_000);
    expect(pauses().slice(1)).toEqual([
      'silent for 20 min',
      'silent for 40 min',
      ...Array(2).fill('silent for 60 min'),
    ]);
    clock.advance(3_600_000);
    expect(reported.at(-1)).toBe('box');
    expect(clock.advanceToNext()).toBe(false);
  });

  test('a name of another machine is no conflict, nor are our own looped-back packets', () => {
    const { clock, station, reported, ask } = createLink();
    station().advertise(service());
    settle(clock);
    const name = ['shed', '_printer', '_tcp', 'local'];
    ask({
      isResponse: true,
      answers: [{ name, type: recordTypes.TXT, unique: true, ttl: 4500, data: pairsData({ id: 'shed' }) }],
    });
    settle(clock);
    expect(reported).toEqual(['box']);
  });
});
