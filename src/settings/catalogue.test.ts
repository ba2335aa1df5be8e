import { expect, test } from 'bun:test';
import { features, settingsCatalogue } from '../features/index.ts';
import { createSettingsCatalogue } from './catalogue.ts';

const { order, defaults, protection, secretUrls } = settingsCatalogue;

/** Sections of 6.0: their order stays, and new ones may come between them. */
const published =
  'autostart systemTray hotkeys logLevel logFormat commands services containers custom disks media files modules server security mcp pairing discovery metrics mqtt otlp history session screen alerts dashboard chat releases';
const known = (keys: readonly string[]) => keys.filter((key) => published.split(' ').includes(key.split('.')[0] ?? ''));

test('the order of sections is the published one', () => {
  expect(known(order).join(' ')).toBe(published);
  expect(Object.keys(defaults)).toEqual([...order]);
});

test('the published settings are protected as before', () => {
  const sorted = (keys: readonly string[]) => known(keys).toSorted().join(' ');
  expect(sorted(protection.remotelyChangeable)).toBe('autostart disks hotkeys logFormat logLevel modules systemTray');
  expect(sorted(protection.ownerOnly)).toBe(
    'chat.oauthUrl mcp.trustClientConfirmation mqtt.scopes otlp.caFile otlp.endpoint otlp.headersFile releases.url screen.allowed screen.askForAgents security.remoteAdmin',
  );
  expect(sorted(protection.localOnly)).toBe(
    'alerts.targets alerts.webhooks mqtt.caFile mqtt.certificateFile mqtt.keyFile mqtt.serverName mqtt.url mqtt.username',
  );
  expect(sorted(secretUrls)).toBe('alerts.webhooks.url chat.oauthUrl mqtt.url otlp.endpoint releases.url');
});

test('the defaults of every section are valid, and every section has some', async () => {
  const schema = await settingsCatalogue.schema();
  expect(schema.parse(defaults)).toEqual(defaults);
  expect(Object.keys(schema.toJSONSchema().properties ?? {})).toEqual([...order]);
});

test('defaults, schema, protection and masks follow from the declaration of a section', async () => {
  const { chat } = features.find(({ name }) => name === 'chat')?.settings ?? {};
  if (chat === undefined) throw new Error('the feature chat declares no settings');
  const section = { ...chat, after: 'logFormat', localOnly: ['oauthUrl'], remote: true } as const;
  const made = createSettingsCatalogue([{ chat: section }], { mqttScopes: ['read'], modules: [] });
  expect(made.order.slice(4, 7)).toEqual(['logFormat', 'chat', 'modules']);
  expect(made.defaults.chat).toEqual({ oauthUrl: '' });
  expect(made.protection.ownerOnly).toContain('chat.oauthUrl');
  expect(made.protection.localOnly).toContain('chat.oauthUrl');
  expect(made.protection.remotelyChangeable).toContain('chat');
  expect(made.secretUrls).toContain('chat.oauthUrl');
  const { error } = (await made.schema()).safeParse({ ...made.defaults, chat: { oauthUrl: 'no address' } });
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(['chat.oauthUrl']);
});
