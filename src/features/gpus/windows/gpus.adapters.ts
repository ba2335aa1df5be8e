import type { Advapi32 } from '../../../host/windows/native/advapi32.ts';
import { readStruct } from '../../../host/windows/native/structs.ts';
import { D3DKMT_ADAPTERADDRESS } from './d3dkmt.structs.ts';
import type { D3dkmt } from './d3dkmt.ts';
import { DXGI_ADAPTER_DESC1 } from './dxgi.structs.ts';
import type { Dxgi } from './dxgi.ts';

export interface WindowsGpu {
  /** Its PCI address, if Windows reports it. */
  id: string;
  name: string;
  isNvidia: boolean;
  /** Dedicated memory in bytes; null: none, or not reported. */
  memory: number | null;
  /** Its LUID, valid until the next boot; null: only in the registry. */
  luid: number[] | null;
}

const { NVIDIA, MICROSOFT } = { NVIDIA: 0x10de, MICROSOFT: 0x1414 };
const { FLAG_SOFTWARE, ADAPTER_ADDRESS } = { FLAG_SOFTWARE: 2, ADAPTER_ADDRESS: 6 };

export interface GpuLibraries {
  dxgi: Dxgi;
  d3dkmt: D3dkmt;
  advapi32: Advapi32;
}

/** Those of DirectX, or else those with an installed driver. */
export function listAdapters(libraries: GpuLibraries): WindowsGpu[] {
  const described = listDescribed(libraries);
  return described === null ? listRegistered(libraries.advapi32) : described;
}

function listDescribed({ dxgi, d3dkmt }: GpuLibraries): WindowsGpu[] | null {
  const found = dxgi.adapters();
  if (found === null) return null;
  const ids = new Set<string>();
  return found.flatMap((bytes): WindowsGpu[] => {
    const facts = readStruct(DXGI_ADAPTER_DESC1, bytes);
    // Microsoft makes no GPUs: its adapters are software or remote displays.
    if ((facts.Flags & FLAG_SOFTWARE) !== 0 || facts.VendorId === MICROSOFT) return [];
    const luid = [...facts.AdapterLuid];
    const place = d3dkmt.adapterInfo(luid, ADAPTER_ADDRESS, D3DKMT_ADAPTERADDRESS.size);
    const id = (place === null ? null : adapterPciAddress(place)) ?? describedId(facts);
    // Two equal ones without an address: their order distinguishes them.
    const unique = ids.has(id) ? `${id}#${ids.size}` : id;
    ids.add(unique);
    const memory = facts.DedicatedVideoMemory;
    return [
      {
        id: unique,
        name: facts.Description.trim(),
        isNvidia: facts.VendorId === NVIDIA,
        memory: memory > 0 ? memory : null,
        luid,
      },
    ];
  });
}

/** In the form of NVIDIA's library and Linux; Windows does not report the domain. null: on no bus. */
export function adapterPciAddress(bytes: Uint8Array): string | null {
  const { BusNumber, DeviceNumber, FunctionNumber } = readStruct(D3DKMT_ADAPTERADDRESS, bytes);
  if (BusNumber > 0xff || DeviceNumber > 0x1f || FunctionNumber > 7) return null;
  if (BusNumber === 0 && DeviceNumber === 0) return null;
  const hex = (value: number) => value.toString(16).padStart(2, '0');
  return `0000:${hex(BusNumber)}:${hex(DeviceNumber)}.${FunctionNumber}`;
}

function describedId({ VendorId, DeviceId, SubSysId, Revision }: Record<Numbers, number>): string {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
  return `pci\\ven_${hex(VendorId, 4)}&dev_${hex(DeviceId, 4)}&subsys_${hex(SubSysId, 8)}&rev_${hex(Revision, 2)}`;
}

type Numbers = 'VendorId' | 'DeviceId' | 'SubSysId' | 'Revision';

const adapterClass = 'SYSTEM\\CurrentControlSet\\Control\\Class\\{4d36e968-e325-11ce-bfc1-08002be10318}';

/** One key for each adapter with an installed driver; virtual ones have no bus. */
function listRegistered(advapi32: Advapi32): WindowsGpu[] {
  return advapi32
    .keys('HKLM', adapterClass)
    .filter((key) => /^\d{4}$/.test(key))
    .flatMap((key): WindowsGpu[] => {
      const at = `${adapterClass}\\${key}`;
      const name = String(advapi32.value('HKLM', at, 'DriverDesc') ?? '');
      const id = String(advapi32.value('HKLM', at, 'MatchingDeviceId') ?? '').toLowerCase();
      if (name === '' || !id.startsWith('pci\\')) return [];
      const bytes = advapi32.bigValue('HKLM', at, 'HardwareInformation.qwMemorySize');
      const isNvidia = id.includes('ven_10de') || /nvidia/i.test(name);
      return [{ id: `${id}#${key}`, name, isNvidia, memory: bytes === 0 ? null : bytes, luid: null }];
    });
}
