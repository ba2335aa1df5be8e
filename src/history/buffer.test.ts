import { expect, test } from 'bun:test';
import { createBuffer } from './buffer.ts';

test('events of one kind displace no events of another', () => {
  const buffer = createBuffer();
  for (let index = 0; index < 110; index++) buffer.event({ at: index, kind: 'mount', text: `/mnt/${index}` });
  for (const kind of ['agent', 'order', 'access', 'sign_in', 'alert']) buffer.event({ at: 200, kind, text: kind });
  const { events } = buffer.take(15_000);
  expect(events.filter(({ kind }) => kind === 'mount')).toHaveLength(50);
  expect(events.slice(50)).toEqual([
    ...['agent', 'order', 'access', 'sign_in', 'alert'].map((kind) => ({ at: 200, kind, text: kind })),
    { at: 200, kind: 'more', text: '60 more events in these minutes were left out' },
  ]);
  buffer.event({ at: 300, kind: 'mount', text: '/mnt' });
  expect(buffer.take(15_000).events).toEqual([{ at: 300, kind: 'mount', text: '/mnt' }]);
});

test('new devices all the time displace no others, and names that no request could have are not recorded', () => {
  const buffer = createBuffer();
  for (let sample = 0; sample < 20; sample++) {
    buffer.begin(sample);
    for (let index = 0; index < 40; index++) buffer.set(`disk.free//media/${sample}-${index}`, 1);
    buffer.set(`disk.free/${'x'.repeat(200)}`, 1);
    buffer.set('temperature/cpu', sample);
  }
  const { series } = buffer.take(15_000);
  expect(Object.keys(series)).toHaveLength(512 + 1);
  expect(series['temperature/cpu']).toEqual(Array.from({ length: 20 }, (_, sample) => sample));
});
