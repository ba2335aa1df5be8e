import { expect, test } from 'bun:test';
import { fakeContext, fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { settingsCatalogue } from '../../features/index.ts';
import { openSettings } from '../../settings/settings.ts';
import { keepOptions, optionsForSystem } from './service.environment.ts';

async function shell(variables: Record<string, string>, administrator?: string) {
  const storage = memoryStorage();
  if (administrator !== undefined)
    storage.machine = {
      directory: '/etc/hostler',
      list: () => [],
      read: () => ({ text: administrator }),
      write: async () => {},
      signature: () => '1',
      watch: () => () => {},
    };
  const paths = { config: '/config', state: '/state', runtime: null };
  const host = fakeHost({ storage, paths, environment: { variables } });
  return { host, settings: await openSettings(settingsCatalogue, host, fakeContext().log) };
}

test('options of the shell become settings, since the system starts the service without them', async () => {
  const { host, settings } = await shell({
    SERVICE_PORT: '19371',
    SERVICE_LOG_LEVEL: 'debug',
    SERVICE_STATE_DIR: '/x',
  });
  expect(await keepOptions(host, settings)).toEqual([
    'SERVICE_STATE_DIR is not kept; set it in the unit, or where your desktop starts it',
    'SERVICE_PORT is kept as the setting server.port = 19371',
    'SERVICE_LOG_LEVEL is kept as the setting logLevel = DEBUG',
  ]);
  expect(settings.current()).toMatchObject({ server: { port: 19371, host: '' }, logLevel: 'DEBUG' });
});

test('without such variables nothing is changed', async () => {
  const { host, settings } = await shell({});
  expect([await keepOptions(host, settings), optionsForSystem(host)]).toEqual([[], []]);
});

test('a port that is none stops the installation, and a locked one is named', async () => {
  const wrong = await shell({ SERVICE_PORT: '80x' });
  await expect(keepOptions(wrong.host, wrong.settings)).rejects.toThrow('SERVICE_PORT must be a number');
  const locked = await shell({ SERVICE_PORT: '19371' }, '{"locked": {"server": {"port": 9170}}}');
  const [sentence] = await keepOptions(locked.host, locked.settings);
  expect(sentence).toMatch(/server\.port.*: SERVICE_PORT is not kept$/);
  expect(locked.settings.current().server.port).toBe(9170);
});

test('the service of the machine has settings of its own: the command that sets them is named', async () => {
  const { host } = await shell({ SERVICE_PORT: '19371' });
  expect(optionsForSystem(host)).toEqual([
    'SERVICE_PORT is not kept; "sudo -u hostler hostler settings set server.port 19371" sets it for the service of the machine',
  ]);
});
