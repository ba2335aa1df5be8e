// tier: full
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { ComInterface } from '../../../src/host/windows/com/interfaces.ts';
import { type Struct, sizeOf } from '../../../src/host/windows/native/structs.ts';
import { root } from '../harness/service.ts';
import { lacksWineTree, wineTree } from '../harness/wine-tree.ts';

setDefaultTimeout(180_000);

/** Wine answers some calls with zeros, so that a wrong offset passes there; the headers are exact. */

const folder = path.join(root, 'src');

async function all<T>(ending: string): Promise<T[]> {
  const files = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(ending));
  const loaded = await Promise.all(files.map((name) => import(path.join(folder, name)) as Promise<Record<string, T>>));
  return loaded.flatMap((exported) => Object.values(exported));
}

const allStructs = () => all<Struct>('.structs.ts');
/** The module of network interfaces has files of this name as well. */
const allInterfaces = async () =>
  (await all<ComInterface>('.interfaces.ts')).filter((value) => typeof value === 'object' && 'methods' in value);

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
  'shlobj.h',
  'psapi.h',
  'wtsapi32.h',
  'dxgi.h',
  'mmdeviceapi.h',
  'propsys.h',
  'endpointvolume.h',
  'audiopolicy.h',
  'asyncinfo.h',
  'windows.foundation.h',
  'windows.foundation.collections.h',
  'windows.storage.streams.h',
  'robuffer.h',
  'wbemcli.h',
  'netfw.h',
  'taskschd.h',
  'wuapi.h',
  'hidsdi.h',
  'physicalmonitorenumerationapi.h',
  'devpropdef.h',
  'xinput.h',
  'poclass.h',
];
const wineHeaders = [
  'windef.h',
  'winbase.h',
  'winternl.h',
  'wingdi.h',
  'ddk/d3dkmthk.h',
  'windows.foundation.h',
  'windows.storage.streams.h',
  'windows.data.xml.dom.h',
  'windows.ui.notifications.h',
];
const wineFolder = '/usr/include/wine/wine/windows';

describe.skipIf(reason !== null)('structures of Windows', () => {
  test.each([
    ['windows', windowsHeaders, []],
    ['wine', wineHeaders, ['-D__WINESRC__', '-isystem', wineFolder]],
  ] as const)('have the sizes and offsets of the headers of %s', async (headers, includes, flags) => {
    const structs = (await allStructs()).filter((struct) => struct.headers === headers);
    const interfaces = (await allInterfaces()).filter((known) => known.headers === headers);
    expect(structs.length).toBeGreaterThan(0);
    const program = [
      '#define _WIN32_WINNT 0x0A00',
      '#define NTDDI_VERSION 0x0A000006',
      '#include <stddef.h>',
      ...includes.map((name) => `#include <${name}>`),
      ...structs.flatMap(assertions),
      ...interfaces.flatMap(methodAssertions),
    ].join('\n');
    const compile = ['x86_64-w64-mingw32-gcc', '-fsyntax-only', '-w', ...flags, '-x', 'c', '-'];
    const { status, stderr } = spawnSync('chroot', [wineTree, ...compile], { input: program, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  test('interfaces have the GUIDs of the headers', async () => {
    const headers = ['/usr/share/mingw-w64/include', wineFolder];
    const grep = ['grep', '-rhE', '^DEFINE_GUID\\((IID|CLSID)_', ...headers];
    const { stdout } = spawnSync('chroot', [wineTree, ...grep], { encoding: 'utf8', maxBuffer: 1 << 28 });
    const known = new Map<string, string>();
    for (const [, name = '', numbers = ''] of stdout.matchAll(/DEFINE_GUID\(\s*IID_(\w+),([^)]*)\)/g)) {
      const parts = numbers.split(',').map((part) => part.trim().replace(/^0x/i, ''));
      const digits = parts.map((part, index) => part.padStart(index === 0 ? 8 : index < 3 ? 4 : 2, '0')).join('');
      known.set(name, digits.toLowerCase());
    }
    const checked = (await allInterfaces()).filter(({ headers }) => headers !== 'neither');
    expect(checked.map(({ name, id }) => [name, id.replaceAll('-', '')])).toEqual(
      checked.map(({ name }) => [name, known.get(name) ?? 'no header has it']),
    );
  });

  test('structures without a header are few, and listed here', async () => {
    const unchecked = (await allStructs()).filter((struct) => struct.headers === 'neither').map(({ name }) => name);
    expect(unchecked.sort()).toEqual([
      'D3DKMT_ADAPTERADDRESS',
      'D3DKMT_ADAPTER_PERFDATA',
      'D3DKMT_NODE_PERFDATA',
      'SYSTEM_PAGEFILE_INFORMATION',
    ]);
    const unknown = (await allInterfaces()).filter(({ headers }) => headers === 'neither').map(({ name }) => name);
    const others = unknown.filter((name) => !name.startsWith('IGlobalSystemMediaTransportControls'));
    expect(others.sort()).toEqual(['IPolicyConfig', '__x_ABI_CWindows_CStorage_CStreams_CIInputStream']);
  });
});

/** The number of a method is its position in the table. */
function methodAssertions({ name, methods }: ComInterface): string[] {
  return Object.entries(methods).map(
    ([method, [number]]) =>
      `_Static_assert(offsetof(${name}Vtbl, ${method}) == ${8 * number}, ${JSON.stringify(`${name}.${method}`)});`,
  );
}

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
