import { expect, test } from 'bun:test';
import { defaultSettings, modules, settingsCatalogue } from '../features/index.ts';
import { knownHistory } from '../history/series-catalogue.ts';
import { createRulesCheck } from './check-rules.ts';

const settingsSchema = await settingsCatalogue.schema();

const check = await createRulesCheck(modules, await knownHistory(modules));

const settingsWith = (series: string, sensors: object[]) =>
  settingsSchema.parse({
    ...defaultSettings,
    custom: { sensors },
    alerts: { ...defaultSettings.alerts, rules: [{ id: 'rule', when: { series, above: 10 }, notify: [] }] },
  });
const queue = { id: 'queue', name: 'Mail queue', file: '/x' };

test('a rule may name a sensor of the settings, also one added in the same change', () => {
  expect(() => check(defaultSettings, settingsWith('custom.queue', [queue]))).not.toThrow();
});

test.each([
  ['custom.queu', [queue], 'alerts.rules.0 (rule): there is no series "custom.queu"; did you mean custom.queue?'],
  ['custom.queue', [], 'there is no series "custom.queue"; there are'],
  ['custom.queue', [{ ...queue, parse: 'text' }], 'there is no series "custom.queue"'],
])('%s is refused where the sensors are %j', (series, sensors, sentence) => {
  expect(() => check(defaultSettings, settingsWith(series, sensors))).toThrow(sentence);
});

test('an existing rule whose sensor was removed does not block other changes', () => {
  const before = settingsWith('custom.queue', [queue]);
  expect(() => check(before, { ...before, custom: { sensors: [] } })).not.toThrow();
});
