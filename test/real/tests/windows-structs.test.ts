import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { type Struct, sizeOf } from '../../../src/host/windows/native/structs.ts';
import { root } from '../harness/service.ts';
import { lacksWineTree, wineTree } from '../harness/wine-tree.ts';

setDefaultTimeout(180_000);

/** Wine answers some calls with zeros, so that a wrong offset passes there; the headers know better. */

const folder = path.join(root, 'src', 'host', 'windows', 'native');

async function allStructs(): Promise<Struct[]> {
  const files = fs.readdirSync(folder).filter((name) => name.endsWith('.structs.ts'));
  const loaded = await Promise.all(
    files.map((name) => import(path.join(folder, name)) as Promise<Record<string, Struct>>),
  );
  return loaded.flatMap((exported) => Object.values(exported));
}

const reason = lacksWineTree();
if (reason !== null) console.warn(`skipped: ${reason}`);

const windowsHeaders = [
  'winsock2.h',
  'ws2ipdef.h',
  'windows.h',
  'winternl.h',
  'iphlpapi.h',
  'netioapi.h',
  'winioctl.h',
  'ntddstor.h',
  'shellapi.h',
  'psapi.h',
  'wtsapi32.h',
  'dxgi.h',
  'mmdeviceapi.h',
];
const wineHeaders = ['windef.h', 'winbase.h', 'winternl.h'];

describe.skipIf(reason !== null)('structures of Windows', () => {
  test.each([
    ['windows', windowsHeaders, []],
    ['wine', wineHeaders, ['-D__WINESRC__', '-isystem', '/usr/include/wine/wine/windows']],
  ] as const)('have the sizes and offsets that the headers of %s say', async (headers, includes, flags) => {
    const structs = (await allStructs()).filter((struct) => struct.headers === headers);
    expect(structs.length).toBeGreaterThan(0);
    const program = [
      '#define _WIN32_WINNT 0x0A00',
      '#define NTDDI_VERSION 0x0A000006',
      '#include <stddef.h>',
      ...includes.map((name) => `#include <${name}>`),
      ...structs.flatMap(assertions),
    ].join('\n');
    const compile = ['x86_64-w64-mingw32-gcc', '-fsyntax-only', '-w', ...flags, '-x', 'c', '-'];
    const { status, stderr } = spawnSync('chroot', [wineTree, ...compile], { input: program, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  test('those that no header has are few, and named here', async () => {
    const unchecked = (await allStructs()).filter((struct) => struct.headers === 'neither').map(({ name }) => name);
    expect(unchecked.sort()).toEqual(['SYSTEM_PAGEFILE_INFORMATION']);
  });
});

function assertions({ name, size, fields, tail }: Struct): string[] {
  const whole = tail === undefined ? `sizeof(${name})` : `offsetof(${name}, ${tail})`;
  const must = (what: string, value: number) => `_Static_assert(${what} == ${value}, ${JSON.stringify(what)});`;
  return [
    // 0: only some of it is needed, and it grows with every version.
    ...(size === 0 ? [] : [must(whole, size)]),
    ...Object.entries(fields).flatMap(([field, [offset, type]]) => [
      must(`offsetof(${name}, ${field})`, offset),
      must(`sizeof(((${name} *)0)->${field})`, sizeOf(type)),
    ]),
  ];
}
