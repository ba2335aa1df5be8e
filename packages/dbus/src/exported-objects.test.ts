import { expect, test } from 'bun:test';
import { BusError } from './dbus.ts';
import { createOffers, type OfferedObjects, type OfferLimits } from './exported-objects.ts';
import { type BusMessage, kinds, readMessage, writeMessage } from './message.ts';
import { readValues } from './wire.read.ts';
import { wrap } from './wrap.ts';

const objects: OfferedObjects = {
  '/thing': {
    'a.Thing': {
      methods: {
        Add: { takes: 'ii', gives: 'i', run: ([one, other]) => [Number(one) + Number(other)] },
        Hang: { takes: '', gives: '', run: () => new Promise(() => {}) },
        Fail: {
          takes: '',
          gives: '',
          run: () => Promise.reject(new Error('the password is hunter2')),
        },
        Refuse: {
          takes: '',
          gives: '',
          run: () => {
            throw new BusError('org.freedesktop.DBus.Error.InvalidArgs', 'No.');
          },
        },
      },
      properties: { Title: { type: 's', read: () => 'Thing' }, Sizes: { type: 'a(iiay)', read: () => [] } },
      signals: { Changed: 'ua{sv}' },
    },
  },
};

function offering(limits: Partial<OfferLimits> = {}) {
  const offers = createOffers(objects, { most: 1000, whileMs: 1000, now: () => 0, flooded: () => {}, ...limits });
  return async (member: string, signature = '', values: unknown[] = [], over: Partial<BusMessage> = {}) => {
    const fields = { path: '/thing', member, sender: ':1.9', ...(signature && { signature }) };
    const bytes = writeMessage(kinds.call, 7, { ...fields, body: wrap(signature, values) });
    const {
      errorName,
      signature: type = '',
      body,
    } = await offers.handle(Object.assign(Object.create(readMessage(bytes)), over));
    const given = body === undefined ? [] : readValues(Buffer.from(body), 0, true, type, 1000);
    return errorName === undefined ? given : [errorName.split('.').at(-1), ...given];
  };
}

test('a method is called with its values, with and without its interface', async () => {
  const call = offering();
  expect(await call('Add', 'ii', [2, 3])).toEqual([5]);
  expect(await call('Add', 'ii', [2, 3], { interface: 'a.Thing' })).toEqual([5]);
  expect(await call('Ping')).toEqual([]);
});

test('unknown names are refused with a specific error, and reach no other property', async () => {
  const call = offering();
  expect((await call('Add', 'ii', [1, 1], { path: '/other' }))[0]).toBe('UnknownObject');
  expect((await call('Add', 'ii', [1, 1], { interface: 'b.Thing' }))[0]).toBe('UnknownMethod');
  for (const name of ['constructor', '__proto__', 'toString', 'Missing'])
    expect((await call(name))[0]).toBe('UnknownMethod');
  expect(await call('Add', 's', ['x'])).toEqual(['InvalidArgs', 'Add takes "ii", not "s".']);
});

test('properties are read, one or all, and not set', async () => {
  const call = offering();
  expect(await call('Get', 'ss', ['a.Thing', 'Title'])).toEqual(['Thing']);
  expect(await call('GetAll', 's', ['a.Thing'])).toEqual([{ Title: 'Thing', Sizes: [] }]);
  expect((await call('Get', 'ss', ['a.Thing', 'constructor']))[0]).toBe('UnknownProperty');
  expect((await call('GetAll', 's', ['b.Thing']))[0]).toBe('UnknownInterface');
  expect((await call('Set', 'ssv', ['a.Thing', 'Title', 'x']))[0]).toBe('PropertyReadOnly');
});

test('introspection describes the exported objects', async () => {
  const [text] = await offering()('Introspect');
  expect(text).toContain('<method name="Add"><arg type="i" direction="in"/><arg type="i" direction="in"/>');
  expect(text).toContain('<property name="Sizes" type="a(iiay)" access="read"/>');
  expect(text).toContain('<signal name="Changed"><arg type="u"/><arg type="a{sv}"/></signal>');
});

test('the message of an internal error is not sent to the caller', async () => {
  const call = offering();
  expect(await call('Fail')).toEqual(['Failed', 'This call failed.']);
  expect(await call('Refuse')).toEqual(['InvalidArgs', 'No.']);
});

test('a flood of calls is refused unread and reported once, until its window ends', async () => {
  let time = 0;
  let floods = 0;
  const call = offering({ most: 10, whileMs: 1000, now: () => time, flooded: () => void floods++ });
  const answers = [];
  for (let count = 0; count < 50; count++) answers.push((await call('Add', 'ii', [1, 1]))[0]);
  expect(answers.filter((answer) => answer === 2)).toHaveLength(10);
  expect(answers.filter((answer) => answer === 'LimitsExceeded')).toHaveLength(40);
  expect(floods).toBe(1);
  time = 1000;
  expect(await call('Add', 'ii', [1, 1])).toEqual([2]);
});

test('pending calls are limited', async () => {
  const call = offering();
  for (let count = 0; count < 64; count++) void call('Hang');
  expect((await call('Add', 'ii', [1, 1]))[0]).toBe('LimitsExceeded');
});
