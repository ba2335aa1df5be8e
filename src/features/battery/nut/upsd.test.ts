import { expect, test } from 'bun:test';
import type { ByteStreamEvents } from '@hostler/io/byte-stream.ts';
import { fakeClock } from '../../../../test/doubles/fake-host.ts';
import { fakeUpsd, upsdAnswers } from '../../../../test/doubles/fake-upsd.ts';
import { parseAddress, toUpsDevice } from './ups-reader.ts';
import { parseWords, readUpsd } from './upsd.ts';

const place = { host: '127.0.0.1', port: 3493 };

async function readFrom(answer: Parameters<typeof fakeUpsd>[0], clock = fakeClock()) {
  const upsd = fakeUpsd(answer);
  const result = await readUpsd(upsd.connect, clock, place).catch((error: Error) => error.message);
  expect(upsd.open()).toBe(0);
  return { result, commands: upsd.commands };
}

test('every UPS is read over one connection, with commands that only read', async () => {
  const variables = { 'ups.status': 'OL', 'ups.model': 'Say \\"UPS\\" \\\\ 5' };
  const { result, commands } = await readFrom(upsdAnswers({ apc: variables, rack: {} }));
  expect(result).toMatchObject([{ name: 'apc', problem: null }, { name: 'rack' }]);
  expect(commands).toEqual(['LIST UPS', 'LIST VAR apc', 'LIST VAR rack', 'LOGOUT']);
  if (typeof result === 'string') throw new Error(result);
  expect(result[0]?.variables.get('ups.model')).toBe('Say "UPS" \\ 5');
});

test('an answer in pieces is the same answer', async () => {
  const whole = upsdAnswers({ apc: { 'ups.model': 'Größe ⚡' } });
  const { result } = await readFrom((command, events) => {
    for (const byte of new TextEncoder().encode(whole(command))) events.data(Uint8Array.of(byte));
    return '';
  });
  expect(result).toMatchObject([{ variables: new Map([['ups.model', 'Größe ⚡']]) }]);
});

test('a UPS without a driver is listed with the error of upsd', async () => {
  const answer = upsdAnswers({ apc: {}, rack: { 'ups.status': 'OL' } });
  const { result } = await readFrom((command) =>
    command === 'LIST VAR apc' ? 'ERR DRIVER-NOT-CONNECTED\n' : answer(command),
  );
  expect(result).toMatchObject([{ problem: 'DRIVER-NOT-CONNECTED' }, { problem: null }]);
});

test('names that are not one word are neither listed nor sent back', async () => {
  const { commands } = await readFrom((command) =>
    command === 'LIST UPS'
      ? 'BEGIN LIST UPS\nUPS "a b" "x"\nUPS "a\tFSD" "x"\nUPS \u001b[2J "x"\nUPS\nUPS ok "x"\nEND LIST UPS\n'
      : upsdAnswers({ ok: {} })(command),
  );
  expect(commands).toEqual(['LIST UPS', 'LIST VAR ok', 'LOGOUT']);
});

test('at most 16 UPSes are read', async () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`ups${index}`, {}]));
  expect((await readFrom(upsdAnswers(many))).result).toHaveLength(16);
});

const flood = (events: ByteStreamEvents) => {
  for (let index = 0; index < 400; index++) events.data(new TextEncoder().encode(`VAR apc x "${'y'.repeat(990)}"\n`));
  return '';
};

test.each<[string, Parameters<typeof fakeUpsd>[0], string]>([
  ['another protocol', () => 'HTTP/1.1 400 Bad Request\r\n\r\n', 'is not that of an upsd (NUT)'],
  ['control characters', () => '\u0000\u001b[2J\n', '\ufffd\ufffd[2J'],
  [
    'the variables of another UPS',
    (command) => (command === 'LIST UPS' ? 'BEGIN LIST UPS\nVAR a b "c"\n' : ''),
    'VAR a b',
  ],
  ['no access', () => 'ERR ACCESS-DENIED\n', 'refuses to list its UPSes: ACCESS-DENIED'],
  ['an end', () => null, 'closed the connection'],
  ['a line without an end', () => 'x'.repeat(2000), 'a line of more than 1024 characters'],
  [
    'a list without an end',
    (command, events) => (command === 'LIST UPS' ? 'BEGIN LIST UPS\nUPS apc "x"\nEND LIST UPS\n' : flood(events)),
    '',
  ],
])('%s is an error', async (_what, answer, sentence) => {
  const { result } = await readFrom(answer);
  expect(result).toBeString();
  expect(result).toContain(sentence);
});

test('a server that never answers is an error after 3 s', async () => {
  const clock = fakeClock();
  const reading = readFrom(() => '', clock);
  clock.advance(3000);
  expect((await reading).result).toBe('127.0.0.1:3493 did not answer within 3 s');
});

test('words are separated by spaces, and texts are quoted', () => {
  expect(parseWords('UPS apc "In the \\"rack\\""')).toEqual(['UPS', 'apc', 'In the "rack"']);
  expect(parseWords('VAR apc ups.id ""')).toEqual(['VAR', 'apc', 'ups.id', '']);
});

test.each([
  ['127.0.0.1:3493', { host: '127.0.0.1', port: 3493 }],
  ['nas', { host: 'nas', port: 3493 }],
  ['[::1]:1234', { host: '::1', port: 1234 }],
  ['[fe80::1]', { host: 'fe80::1', port: 3493 }],
])('the address %s', (address, expected) => {
  expect(parseAddress(address)).toEqual(expected);
});

const device = (variables: Record<string, string>, description = '') =>
  toUpsDevice({ name: 'apc', description, variables: new Map(Object.entries(variables)), problem: null });

test.each([
  ['OL', { state: 'on_line', low_battery: false, replace_battery: false }],
  ['OL CHRG RB', { state: 'on_line', replace_battery: true }],
  ['OB DISCHRG LB', { state: 'on_battery', low_battery: true }],
  ['FSD OB', { state: 'on_battery', low_battery: true }],
  ['OL BYPASS', { state: 'bypass' }],
  ['OL OFF', { state: 'off' }],
  ['WAIT', { state: null }],
])('the status %s', (status, expected) => {
  expect(device({ 'ups.status': status }).ups).toMatchObject(expected);
});

test('numbers that are none, and numbers out of range', () => {
  const read = device({
    'ups.status': 'OL',
    'ups.load': '112.5',
    'battery.charge': '130',
    'battery.runtime': '-1',
    'input.voltage': 'NaN',
  });
  expect(read).toMatchObject({ percentage: 100, ups: { load: 112.5, time_remaining: null, input_voltage: null } });
});

test('the name is the description of the administrator, else that of the maker, without control characters', () => {
  const made = { 'device.mfr': 'APC\u001b[2J', 'ups.model': ' Back-UPS ES ' };
  expect(device(made, 'Rack\u202e').name).toBe('Rack');
  expect(device(made, 'Description unavailable').name).toBe('APC\ufffd[2J Back-UPS ES');
  expect(device({}, '').name).toBe('apc');
});
