import { expect, test } from 'bun:test';
import { createScrubber } from './scrub.ts';

const identity = {
  hostname: 'machine',
  home: '/home/tester',
  userName: 'tester',
  accounts: '',
  searchDomains: [],
  files: new Map<string, Buffer>(),
};

test('names and addresses of Bluetooth devices are replaced', () => {
  const { answer } = createScrubber(identity);
  const device = { Address: '38:18:4C:12:34:56', Name: 'Anna’s phone', Alias: 'Anna’s phone', Paired: true };
  const text = JSON.stringify(answer({ '/org/bluez/hci0/dev_38_18_4C_12_34_56': { 'org.bluez.Device1': device } }));
  expect(text).not.toMatch(/Anna|38[:_]18/);
  expect(text).toContain('"Paired":true');
});

test('names of connections are replaced; other properties named Id are unchanged', () => {
  const { answer } = createScrubber(identity);
  const active = { Id: 'Secret Employer', Uuid: 'aaaa-bbbb', Type: 'vpn', State: 2, SpecificObject: '/' };
  const text = JSON.stringify(answer([active]));
  expect(text).not.toMatch(/Secret|aaaa/);
  expect(text).toContain('"Type":"vpn"');
  expect(answer({ Id: 'c1', Class: 'user' })).toEqual({ Id: 'c1', Class: 'user' });
});

test('directories of users are replaced, wherever their home directories are', () => {
  const accounts = ['ada:x:1000:1000::/data/people/lovelace:/bin/sh', 'www:x:33:33::/var/www:/bin/false'].join('\n');
  const { text } = createScrubber({ ...identity, home: '/srv/people/tester', accounts });
  expect(text('/srv/people/tester/Divorce/run /data/people/lovelace/Secret/run /var/www/html/run www')).toMatch(
    /^\/srv\/people\/user\d\/run \/data\/people\/user\d\/run \/var\/www\/html\/run www$/,
  );
});
