import { address } from '../../../host/ffi.ts';
import { openCom } from '../../../host/windows/com/com.ts';
import { IPropertyStore } from '../../../host/windows/com/coreaudio.interfaces.ts';
import { PROPERTYKEY, PROPVARIANT } from '../../../host/windows/com/coreaudio.structs.ts';
import { defineInterface } from '../../../host/windows/com/interfaces.ts';
import { guidBytes } from '../../../host/windows/native/guid.ts';
import { wide } from '../../../host/windows/native/memory.ts';
import { filledStruct } from '../../../host/windows/native/structs.ts';

/** A link of the Start menu. https://learn.microsoft.com/windows/win32/api/shobjidl_core/nn-shobjidl_core-ishelllinkw */
export interface ShellLink {
  file: string;
  program: string;
  arguments: string;
  directory: string;
  description: string;
  /** Identifies the sender of notifications (AppUserModelID). */
  appId: string;
  /** The class that it names for presses on its notifications (ToastActivatorCLSID); without one they do not stay in the Action Center. */
  activator: string;
}

const ShellLink = '00021401-0000-0000-c000-000000000046';
const { VT_LPWSTR, VT_CLSID } = { VT_LPWSTR: 31, VT_CLSID: 72 };
/** The properties System.AppUserModel: their GUID and their numbers. */
const appUserModel = '9f4c2855-9f79-4b39-a8d0-e1d42de1d5f3';
const { APP_ID, TOAST_ACTIVATOR } = { APP_ID: 5, TOAST_ACTIVATOR: 26 };

/** Writes the link, replacing an existing one. Throws with the name of the failed call. */
export function writeShellLink(link: ShellLink): void {
  const com = openCom();
  com.within((scope) => {
    const shellLink = scope.create(ShellLink, IShellLinkW);
    shellLink.call('SetPath', wide(link.program));
    shellLink.call('SetArguments', wide(link.arguments));
    shellLink.call('SetWorkingDirectory', wide(link.directory));
    shellLink.call('SetDescription', wide(link.description));
    const properties = shellLink.as(IPropertyStore);
    // Returned, so that the memory exists until the call is done.
    const set = (property: number, kind: number, memory: Uint8Array) => {
      properties?.call('SetValue', propertyKey(property), propertyValue(kind, memory));
      return memory;
    };
    set(APP_ID, VT_LPWSTR, wide(link.appId));
    set(TOAST_ACTIVATOR, VT_CLSID, guidBytes(link.activator));
    properties?.call('Commit');
    const file = shellLink.as(IPersistFile);
    if (properties === null || file === null) throw new Error('Windows cannot store links');
    file.call('Save', wide(link.file), 1);
  });
}

/** A PROPERTYKEY: a GUID and a number. */
function propertyKey(property: number): Uint8Array {
  return filledStruct(PROPERTYKEY, { fmtid: guidBytes(appUserModel), pid: property });
}

/** A PROPVARIANT that points to memory, which must live until the call returns. */
function propertyValue(kind: number, memory: Uint8Array): Uint8Array {
  return filledStruct(PROPVARIANT, { vt: kind, pwszVal: address(memory) });
}

const IShellLinkW = defineInterface('IShellLinkW', '000214f9-0000-0000-c000-000000000046', {
  SetDescription: [7, 'ptr'],
  SetWorkingDirectory: [9, 'ptr'],
  SetArguments: [11, 'ptr'],
  SetPath: [20, 'ptr'],
});

const IPersistFile = defineInterface('IPersistFile', '0000010b-0000-0000-c000-000000000046', {
  Save: [6, 'ptr', 'i32'],
});
