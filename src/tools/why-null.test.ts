import { expect, test } from 'bun:test';
import { renamed, whyNull } from './why-null.ts';

const because = (field: string | null, reason: string) => ({ field, reason, mendable: true });

test('a reason appears once, with all its fields', () => {
  const answer = { power: null, times: { dpc: null }, cores: [{ dpc: null }, { dpc: null }], usage: 5 };
  const reasons = [because('times.dpc', 'no dpc'), because('cores[].dpc', 'no dpc'), because('power', 'no meter')];
  expect(whyNull(answer, reasons)).toEqual({
    why_null: [
      { fields: ['times.dpc', 'cores[].dpc'], reason: 'no dpc' },
      { fields: ['power'], reason: 'no meter' },
    ],
  });
});

test('present values have no reasons', () => {
  expect(whyNull({ a: 1, list: [1] }, [because('a', 'no a'), because(null, 'nothing works')])).toEqual({});
});

test.each([
  ['the field above it', { device: { model: null } }, because('device', 'no DMI'), ['device']],
  ['an empty list', { fans: [] }, because('fans', 'no fan'), ['fans']],
  ['an empty text', { address: '' }, because('address', 'offline'), ['address']],
  ['the whole module', { a: null }, because(null, 'no battery'), ['*']],
  ['a list that is the module', [{ path: null }], because('[].path', 'hidden'), ['[].path']],
])('the reason of %s explains a null', (_what, answer, reason, fields) => {
  expect(whyNull(answer, [reason])).toEqual({ why_null: [{ fields, reason: reason.reason }] });
});

test('a name with the same prefix explains nothing, and an unexplained null is reported as such', () => {
  expect(whyNull({ power_usage: null }, [because('power', 'no meter')])).toEqual({
    why_null: [{ fields: ['power_usage'], reason: 'It is unknown here, and no reason is given' }],
  });
});

test('reasons follow fields that have another name in the result', () => {
  const names = { temperature: 'cpu.temperature_c', usage: 'cpu.usage_percent' };
  expect(renamed([because('temperature', 'no sensor'), because('voltage', 'no driver')], names)).toEqual([
    { field: 'cpu.temperature_c', reason: 'no sensor' },
  ]);
  expect(renamed([because(null, 'no /proc')], names)).toHaveLength(2);
});
