import { address, copyFrom, functionAt, pinned } from '../../../host/ffi.ts';
import { systemLibrary } from '../../../host/windows/native/library.ts';
import { slot, wide } from '../../../host/windows/native/memory.ts';
import { guidBytes } from '../../../host/windows/native/shell32.ts';

/** A link of the Start menu. https://learn.microsoft.com/windows/win32/api/shobjidl_core/nn-shobjidl_core-ishelllinkw */
export interface ShellLink {
  file: string;
  program: string;
  arguments: string;
  directory: string;
  description: string;
  /** Identifies the sender of notifications (AppUserModelID). */
  appId: string;
}

const ids = {
  shellLinkClass: '00021401-0000-0000-C000-000000000046',
  IShellLinkW: '000214F9-0000-0000-C000-000000000046',
  IPersistFile: '0000010B-0000-0000-C000-000000000046',
  IPropertyStore: '886D8EEB-8CF2-4446-8D02-CDBA1DBDCF99',
  appUserModel: '9F4C2855-9F79-4B39-A8D0-E1D42DE1D5F3',
};
/** Indexes of the methods in their tables, in the order of the headers. */
const slots = {
  queryInterface: 0,
  release: 2,
  setDescription: 7,
  setWorkingDirectory: 9,
  setArguments: 11,
  setPath: 20,
  setValue: 6,
  commit: 7,
  save: 6,
};
const { VT_LPWSTR, APP_ID_PROPERTY, IN_PROCESS } = { VT_LPWSTR: 31, APP_ID_PROPERTY: 5, IN_PROCESS: 1 };

/** Writes the link, replacing an existing one. Throws with the name of the failed call. */
export function writeShellLink(link: ShellLink): void {
  const { CoInitializeEx, CoCreateInstance } = systemLibrary('ole32.dll', {
    CoInitializeEx: { args: ['u64', 'u32'], returns: 'i32' },
    CoCreateInstance: { args: ['ptr', 'u64', 'u32', 'ptr', 'ptr'], returns: 'i32' },
  });
  CoInitializeEx(0, 0);
  const made = slot();
  check('IShellLinkW', CoCreateInstance(id(ids.shellLinkClass), 0, IN_PROCESS, id(ids.IShellLinkW), made.place));
  const objects = [made.u64()];
  const [shellLink = 0] = objects;
  const as = (interfaceId: string) => {
    const other = slot();
    check('QueryInterface', call(shellLink, slots.queryInterface, ['ptr', 'ptr'], id(interfaceId), other.place));
    objects.push(other.u64());
    return other.u64();
  };
  try {
    check('SetPath', call(shellLink, slots.setPath, ['ptr'], wide(link.program)));
    check('SetArguments', call(shellLink, slots.setArguments, ['ptr'], wide(link.arguments)));
    check('SetWorkingDirectory', call(shellLink, slots.setWorkingDirectory, ['ptr'], wide(link.directory)));
    check('SetDescription', call(shellLink, slots.setDescription, ['ptr'], wide(link.description)));
    const properties = as(ids.IPropertyStore);
    const text = wide(link.appId);
    check('SetValue', call(properties, slots.setValue, ['ptr', 'ptr'], propertyKey(), propertyText(text)));
    check('Commit', call(properties, slots.commit, []));
    check('Save', call(as(ids.IPersistFile), slots.save, ['ptr', 'i32'], wide(link.file), 1));
  } finally {
    for (const object of objects.reverse()) call(object, slots.release, []);
  }
}

/** A PROPERTYKEY: a GUID and a number. */
function propertyKey(): Uint8Array {
  const key = pinned(20);
  key.set(guidBytes(ids.appUserModel));
  new DataView(key.buffer).setUint32(16, APP_ID_PROPERTY, true);
  return key;
}

/** A PROPVARIANT that points to a text, which must live until the call returns. */
function propertyText(text: Uint8Array): Uint8Array {
  const value = pinned(24);
  const view = new DataView(value.buffer);
  view.setUint16(0, VT_LPWSTR, true);
  view.setBigUint64(8, BigInt(address(text)), true);
  return value;
}

function id(text: string): Uint8Array {
  const bytes = pinned(16);
  bytes.set(guidBytes(text));
  return bytes;
}

type Argument = 'ptr' | 'i32';

function call(object: number, method: number, types: Argument[], ...args: unknown[]): number {
  const place = pointerAt(pointerAt(object) + 8 * method);
  return Number(functionAt(place, { args: ['u64', ...types], returns: 'i32' })(object, ...args));
}

function pointerAt(place: number): number {
  return Number(new DataView(copyFrom(place, 8).buffer).getBigUint64(0, true));
}

function check(name: string, result: number): void {
  if (result < 0) throw new Error(`${name} failed with 0x${(result >>> 0).toString(16).padStart(8, '0')}`);
}
