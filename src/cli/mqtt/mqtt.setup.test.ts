import { expect, test } from 'bun:test';
import path from 'node:path';
import { fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import type { Paths } from '../../host/paths.ts';
import type { CliContext } from '../context.ts';
import { setUpMqtt } from './mqtt.setup.ts';

const settingsFile = path.join('/config', 'settings.json');
const passwordFile = path.join('/state', 'mqtt-password');

async function setUp(broker: string, options: { username?: string } = {}) {
  const old = { version: 1, mqtt: { url: 'mqtts://old.example', username: 'me' } };
  const storage = memoryStorage({
    [settingsFile]: JSON.stringify(old),
    [passwordFile]: 'old secret',
    [path.resolve('/secret')]: 'new secret\n',
  });
  const urls: string[] = [];
  const urlNow = () => JSON.parse(storage.read(settingsFile) ?? '{}').mqtt?.url ?? '';
  const host = fakeHost({
    storage: {
      ...storage,
      write(file, text) {
        storage.write(file, text);
        if (file === passwordFile) urls.push(urlNow());
      },
    },
    paths: { config: '/config', state: '/state', runtime: '/run' } as Paths,
  });
  const complaints: string[] = [];
  const context = { host, command: 'hostler', print() {}, complain: (line: string) => void complaints.push(line) };
  await setUpMqtt(context as unknown as CliContext, broker, {
    username: 'me',
    passwordFile: '/secret',
    force: true,
    ...options,
  });
  return { urls, url: urlNow(), password: storage.read(passwordFile), complaints };
}

test('no broker is set while the password of another one is written', async () => {
  expect(await setUp('mqtts://new.example')).toEqual({
    urls: [''],
    url: 'mqtts://new.example',
    password: 'new secret\nmqtts://new.example\n',
    complaints: [],
  });
});

test('the user learns before the password is sent that the connection is not encrypted', async () => {
  const { complaints } = await setUp('mqtt://new.example');
  expect(complaints).toEqual(['The password for mqtt://new.example travels unencrypted; use mqtts:// or wss://.']);
});
