import { describe, expect, test } from 'bun:test';
import { type FakeClock, fakeClock, fakeContext } from '../../../test/doubles/fake-host.ts';
import { type Advertiser, createAdvertiser } from './advertiser.ts';
import { createBrowser } from './browser.ts';
import { addressIn, decodeMessage, pairsIn } from './dns.decode.ts';
import { encodeMessage, pairsData } from './dns.encode.ts';
import { type DnsMessage, emptyMessage, recordTypes } from './dns.ts';
import type { MdnsPeer } from './links.ts';
import type { AnnouncedIdentity } from './records.ts';

const identity: AnnouncedIdentity = {
  hostname: 'box',
  fqdn: 'box.example',
  uuid: 'f355e056-4603-8db2-b561-385a5c54a370',
  mac: '02:00:00:00:00:01',
  version: '6.0.0',
  securePort: null,
  plainPort: 9170,
  ip: '10.0.0.1',
  addresses: ['10.0.0.1', '2001:db8::1'],
  quiet: false,
};

/** A link on which everybody hears everything, himself as well. */
function createLink() {
  const clock = fakeClock();
  const stations: ((bytes: Uint8Array, from: MdnsPeer) => void)[] = [];
  const packets: DnsMessage[] = [];
  const replies: { message: DnsMessage; to: MdnsPeer }[] = [];
  const said: string[] = [];
  const decoded = (bytes: Uint8Array) => decodeMessage(bytes) ?? emptyMessage;
  const broadcast = (bytes: Uint8Array, from: MdnsPeer) => {
    packets.push(decoded(bytes));
    clock.after(1, () => {
      for (const hear of stations) hear(bytes, from);
    });
  };
  let stationNumber = 0;
  const station = (): Advertiser => {
    stationNumber += 1;
    const from = { address: `10.0.0.${stationNumber}`, port: 5353 };
    const spread = stationNumber / 10;
    const { log } = fakeContext();
    const advertiser = createAdvertiser(
      {
        send: async (bytes) => broadcast(bytes, from),
        reply: async (bytes, to) => void replies.push({ message: decoded(bytes), to }),
        after: clock.after,
        monotonic: clock.monotonic,
        random: () => spread,
      },
      { ...log, info: (line) => said.push(line), warn: (line) => said.push(line) },
    );
    stations.push(advertiser.heard);
    return advertiser;
  };
  const browse = () => {
    const browser = createBrowser(async (bytes) => broadcast(bytes, { address: '10.0.0.99', port: 5353 }));
    stations.push((bytes) => browser.heard(bytes));
    browser.ask();
    clock.advance(200);
    return browser;
  };
  const ask = (message: Partial<DnsMessage>, port = 5353) =>
    broadcast(encodeMessage({ ...emptyMessage, ...message }), { address: '10.0.0.50', port });
  const responses = () => packets.filter(({ isResponse }) => isResponse);
  return { clock, station, packets, replies, said, browse, ask, responses };
}

const settle = (clock: FakeClock) => clock.advance(10_000);
const question = { name: ['_hostler', '_tcp', 'local'], type: recordTypes.PTR };

describe('announcing', () => {
  test('asks three times whether the name is free, then says it twice', () => {
    const { clock, station, packets } = createLink();
    station().advertise(identity);
    settle(clock);
    expect(packets.map(({ isResponse }) => isResponse)).toEqual([false, false, false, true, true]);
    expect(packets[0]?.questions.map(({ name }) => name.join('.'))).toEqual([
      'box._hostler._tcp.local',
      'box._system-bridge._tcp.local',
      'box-hostler.local',
    ]);
  });

  test('says everything that clients look for, and nothing else', () => {
    const { clock, station, responses } = createLink();
    station().advertise(identity);
    settle(clock);
    const [announced] = responses();
    const texts = announced?.answers.filter(({ type }) => type === recordTypes.TXT) ?? [];
    expect(texts).toHaveLength(2);
    expect(Object.fromEntries(pairsIn(texts[0]?.data ?? new Uint8Array()))).toEqual({
      ip: '10.0.0.1',
      port: '9170',
      uuid: identity.uuid,
      host: 'box',
      fqdn: 'box.example',
      mac: '02:00:00:00:00:01',
      address: 'http://10.0.0.1:9170',
      version: '6.0.0',
    });
    expect(announced?.answers.flatMap((record) => addressIn(record) ?? [])).toEqual([...identity.addresses]);
  });

  test('a quiet one says where it is, and nothing about what it is', () => {
    const { clock, station, packets, browse } = createLink();
    station().advertise({ ...identity, quiet: true });
    settle(clock);
    const everything = packets.flatMap(({ questions, answers, authorities, additionals }) => [
      ...questions.map(({ name }) => name.join('.')),
      ...[...answers, ...authorities, ...additionals].map(
        ({ name, data }) => `${name.join('.')} ${Buffer.from(data).toString('latin1')}`,
      ),
    ]);
    expect(everything.join('\n')).not.toMatch(/box|example|f355e056|02:00|6\.0\.0|system-bridge/);
    const [found, ...others] = browse().found();
    expect(others).toEqual([]);
    expect(found).toEqual({
      name: 'hostler',
      address: 'http://10.0.0.1:9170',
      tls_address: '',
      version: '',
      uuid: '',
      host: 'hostler.local',
      types: ['_hostler._tcp'],
    });
  });

  test('two quiet ones are told apart by a number', () => {
    const { clock, station, browse } = createLink();
    station().advertise({ ...identity, quiet: true });
    settle(clock);
    station().advertise({ ...identity, quiet: true, ip: '10.0.0.2' });
    settle(clock);
    expect(
      browse()
        .found()
        .map(({ name, address }) => [name, address]),
    ).toEqual([
      ['hostler', 'http://10.0.0.1:9170'],
      ['hostler (2)', 'http://10.0.0.2:9170'],
    ]);
  });

  test('no timer is left when all is said', () => {
    const { clock, station } = createLink();
    station().advertise(identity);
    settle(clock);
    expect(clock.advanceToNext()).toBe(false);
  });

  test('an address that changed is announced anew, under the same name', () => {
    const { clock, station, browse } = createLink();
    const box = station();
    box.advertise(identity);
    settle(clock);
    box.advertise({ ...identity, ip: '10.0.0.7', addresses: ['10.0.0.7'] });
    settle(clock);
    expect(browse().found()).toMatchObject([{ name: 'box', address: 'http://10.0.0.7:9170' }]);
  });

  test('an address of a kind that is no longer there is taken back', () => {
    const { clock, station, responses } = createLink();
    const box = station();
    box.advertise(identity);
    settle(clock);
    const before = responses().length;
    box.advertise({ ...identity, addresses: ['10.0.0.1'] });
    const [taken] = responses().slice(before);
    expect(taken?.answers.map((record) => [addressIn(record), record.ttl])).toEqual([['2001:db8::1', 0]]);
  });

  test('withdrawing takes back its own records, but not that there are services of this kind', async () => {
    const { clock, station, responses } = createLink();
    const box = station();
    box.advertise(identity);
    settle(clock);
    const before = responses().length;
    await box.withdraw();
    const [goodbye] = responses().slice(before);
    expect(goodbye?.answers.every(({ ttl }) => ttl === 0)).toBe(true);
    expect(goodbye?.answers.filter(({ type }) => type === recordTypes.PTR).map(({ name }) => name[0])).toEqual([
      '_hostler',
      '_system-bridge',
    ]);
  });

  test('what was announced is taken back also while a change of it is not yet', async () => {
    const { clock, station, responses } = createLink();
    const box = station();
    box.advertise(identity);
    settle(clock);
    box.advertise({ ...identity, addresses: ['10.0.0.7'] });
    const before = responses().length;
    await box.withdraw();
    const [goodbye] = responses().slice(before);
    expect(goodbye?.answers.flatMap((record) => addressIn(record) ?? [])).toEqual([...identity.addresses]);
  });

  test('withdrawing before anything was said says nothing', async () => {
    const { clock, station, packets } = createLink();
    const box = station();
    box.advertise(identity);
    await box.withdraw();
    settle(clock);
    expect(packets).toEqual([]);
  });
});

describe('answering', () => {
  const established = () => {
    const link = createLink();
    link.station().advertise(identity);
    settle(link.clock);
    link.packets.length = 0;
    return link;
  };

  test('one who looks for services is told all about this one', () => {
    const { browse } = established();
    expect(browse().found()).toEqual([
      {
        name: 'box',
        address: 'http://10.0.0.1:9170',
        tls_address: '',
        version: '6.0.0',
        uuid: identity.uuid,
        host: 'box',
        types: ['_hostler._tcp', '_system-bridge._tcp'],
      },
    ]);
  });

  test.each([
    [9170, false, 'http://10.0.0.1:9170', ['_hostler._tcp', '_system-bridge._tcp']],
    [null, false, 'https://10.0.0.1:9171', ['_hostler._tcp']],
    [null, true, 'https://10.0.0.1:9171', ['_hostler._tcp']],
  ])(
    'with TLS beside port %p (quiet: %p) it says where, and those who speak none find only what they can use',
    (plainPort, quiet, address, types) => {
      const { clock, station, browse } = createLink();
      station().advertise({ ...identity, plainPort, securePort: 9171, quiet });
      settle(clock);
      expect(browse().found()).toEqual([
        expect.objectContaining({ address, tls_address: 'https://10.0.0.1:9171', types }),
      ]);
    },
  );

  test('a thousand who ask at once get one answer', () => {
    const { clock, ask, responses } = established();
    for (let index = 0; index < 1000; index++) ask({ questions: [question] });
    settle(clock);
    expect(responses()).toHaveLength(1);
  });

  test('one who knows the answer already gets none', () => {
    const { clock, ask, responses } = established();
    ask({ questions: [question] });
    settle(clock);
    const known = responses()[0]?.answers ?? [];
    ask({ questions: [question], answers: known });
    settle(clock);
    expect(responses()).toHaveLength(1);
  });

  test('a simple resolver is answered alone, with its number and for a short time', () => {
    const { clock, ask, responses, replies } = established();
    ask({ id: 4711, questions: [question] }, 40_000);
    settle(clock);
    expect(responses()).toEqual([]);
    expect(replies).toHaveLength(1);
    expect(replies[0]).toMatchObject({ to: { port: 40_000 }, message: { id: 4711, isResponse: true } });
    expect(replies[0]?.message.answers.every(({ ttl, unique }) => ttl <= 10 && !unique)).toBe(true);
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

describe('names', () => {
  test('the second machine of one name takes another one', () => {
    const { clock, station, browse } = createLink();
    station().advertise(identity);
    settle(clock);
    station().advertise({ ...identity, uuid: 'other', ip: '10.0.0.2', addresses: ['10.0.0.2'] });
    settle(clock);
    expect(browse().found()).toMatchObject([
      { name: 'box', uuid: identity.uuid },
      { name: 'box (2)', uuid: 'other' },
    ]);
  });

  test('two that start at the same moment agree', () => {
    const { clock, station, browse } = createLink();
    for (const uuid of ['one', 'two', 'three']) station().advertise({ ...identity, uuid });
    settle(clock);
    expect(
      browse()
        .found()
        .map(({ name }) => name),
    ).toEqual(['box', 'box (2)', 'box (3)']);
  });

  test('two that both have it already, because their networks were joined, agree as well', () => {
    const { clock, station, browse, ask } = createLink();
    station().advertise(identity);
    settle(clock);
    const other = { name: ['box', '_hostler', '_tcp', 'local'], type: recordTypes.TXT, unique: true, ttl: 4500 };
    ask({ isResponse: true, answers: [{ ...other, data: pairsData({ uuid: 'other' }) }] });
    clock.advance(300);
    // The other one defends it.
    ask({ isResponse: true, answers: [{ ...other, data: pairsData({ uuid: 'other' }) }] });
    settle(clock);
    expect(browse().found()).toMatchObject([{ name: 'box (2)' }]);
  });

  test('one who disputes every name is given up on', () => {
    const { clock, station, said, ask, packets } = createLink();
    station().advertise(identity);
    for (let index = 0; index < 400; index++) {
      const names = packets
        .flatMap(({ questions }) => questions.map(({ name }) => name))
        .filter((name) => name.length === 4);
      const name = names.at(-1) ?? ['box', '_hostler', '_tcp', 'local'];
      ask({
        isResponse: true,
        answers: [{ name, type: recordTypes.TXT, unique: true, ttl: 4500, data: pairsData({ uuid: 'evil' }) }],
      });
      clock.advance(1000);
    }
    expect(said.join()).toContain('every name is in use');
    expect(clock.advanceToNext()).toBe(false);
  });

  test('a name of another machine is no dispute, nor are our own words when they come back', () => {
    const { clock, station, said, ask } = createLink();
    station().advertise(identity);
    settle(clock);
    const name = ['shed', '_hostler', '_tcp', 'local'];
    ask({
      isResponse: true,
      answers: [{ name, type: recordTypes.TXT, unique: true, ttl: 4500, data: pairsData({ uuid: 'shed' }) }],
    });
    settle(clock);
    expect(said).toEqual(['discovery: found on the network under the name "box"']);
  });

  test('a name with dots, or too long, still makes one label', () => {
    const { clock, station, browse } = createLink();
    station().advertise({ ...identity, hostname: 'shed.example.org' });
    station().advertise({ ...identity, hostname: 'ü'.repeat(64), uuid: 'long' });
    settle(clock);
    expect(
      browse()
        .found()
        .map(({ name }) => name),
    ).toEqual(['shed', 'ü'.repeat(31)]);
  });
});
