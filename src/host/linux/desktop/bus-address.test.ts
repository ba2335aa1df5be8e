import { expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseBusAddress, sessionSockets, systemSockets } from './bus-address.ts';

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
  for (const [text, sockets] of table) expect([text, parseBusAddress(text, variables)]).toEqual([text, sockets]);
});

test('the system bus has its usual places unless the environment names another', () => {
  expect(systemSockets(withVariables({}))[0]).toBe('/run/dbus/system_bus_socket');
  expect(systemSockets(withVariables({ DBUS_SYSTEM_BUS_ADDRESS: 'unix:path=/x' }))).toEqual(['/x']);
  expect(() => systemSockets(withVariables({ DBUS_SYSTEM_BUS_ADDRESS: 'nonsense' }))).toThrow(
    'DBUS_SYSTEM_BUS_ADDRESS',
  );
});

test('without a session bus it is said how to get one', () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-bus-'));
  try {
    const variables = withVariables({ XDG_RUNTIME_DIR: directory });
    expect(() => sessionSockets(withVariables({}))).toThrow('Start Hostler as the user');
    expect(() => sessionSockets(variables)).toThrow(expect.objectContaining({ errorName: 'Hostler.NoBus' }));
    fs.writeFileSync(path.join(directory, 'bus'), '');
    expect(sessionSockets(variables)).toEqual([path.join(directory, 'bus')]);
    expect(
      sessionSockets(withVariables({ XDG_RUNTIME_DIR: directory, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/s' })),
    ).toEqual(['/s']);
  } finally {
    fs.rmSync(directory, { recursive: true });
  }
});
