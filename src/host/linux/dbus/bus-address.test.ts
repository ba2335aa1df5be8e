import { expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { formatBusAddress, parseBusAddress, sessionPlaces, systemPlaces } from './bus-address.ts';

const withVariables = (variables: Record<string, string>) => ({ variable: (name: string) => variables[name] ?? null });

test('the unix sockets of an address are found', () => {
  const variables = withVariables({ XDG_RUNTIME_DIR: '/run/user/7' });
  const table: [string, string[]][] = [
    ['unix:path=/run/user/1000/bus', ['/run/user/1000/bus']],
    ['unix:guid=ab,path=/a/b', ['/a/b']],
    ['unix:path=/tmp/a%20b%3d,guid=1', ['/tmp/a b=']],
    ['unix:path=/tmp/a:b', ['/tmp/a:b']],
    ['unix:abstract=/tmp/x', ['\0/tmp/x']],
    ['unix:runtime=yes', ['/run/user/7/bus']],
    ['tcp:host=localhost,port=1;unix:path=/a', ['/a']],
    ['unix:path=/a;unix:path=/b', ['/a', '/b']],
    ['unixexec:path=/bin/sh,argv1=-c', []],
    ['unix:path=relative', []],
    ['unix:path=%', []],
    ['unix:path=/a%00b', []],
    ['autolaunch:', []],
    ['', []],
  ];
  for (const [text, sockets] of table) {
    const found = parseBusAddress(text, variables);
    expect([text, found.map(({ socket }) => socket)]).toEqual([text, sockets]);
    expect(parseBusAddress(found.map(formatBusAddress).join(';'), variables)).toEqual(found);
  }
  expect(parseBusAddress('unix:guid=ab,path=/a/b;unix:path=/c', variables).map(({ guid }) => guid)).toEqual([
    'ab',
    null,
  ]);
});

test('the system bus has default addresses unless the environment names another', () => {
  expect(systemPlaces(withVariables({}))[0]).toEqual({
    socket: '/run/dbus/system_bus_socket',
    guid: null,
    peer: 'system-bus',
  });
  expect(systemPlaces(withVariables({ DBUS_SYSTEM_BUS_ADDRESS: 'unix:path=/x' }))).toEqual([
    { socket: '/x', guid: null, peer: 'system-bus' },
  ]);
  expect(() => systemPlaces(withVariables({ DBUS_SYSTEM_BUS_ADDRESS: 'nonsense' }))).toThrow('DBUS_SYSTEM_BUS_ADDRESS');
});

test('without a session bus the error says how to get one', () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-bus-'));
  try {
    const variables = withVariables({ XDG_RUNTIME_DIR: directory });
    expect(() => sessionPlaces(withVariables({}))).toThrow('Start Hostler as the user');
    expect(() => sessionPlaces(variables)).toThrow(expect.objectContaining({ errorName: 'Client.NoBus' }));
    fs.writeFileSync(path.join(directory, 'bus'), '');
    expect(sessionPlaces(variables)).toEqual([{ socket: path.join(directory, 'bus'), guid: null, peer: 'self' }]);
    expect(
      sessionPlaces(withVariables({ XDG_RUNTIME_DIR: directory, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/s' })),
    ).toEqual([{ socket: '/s', guid: null, peer: 'self' }]);
    fs.chmodSync(directory, 0o777);
    expect(() => sessionPlaces(variables)).toThrow(`the runtime directory ${directory} (XDG_RUNTIME_DIR) is not used`);
  } finally {
    fs.rmSync(directory, { recursive: true });
  }
});
