import { address, pinned } from '../../../host/ffi.ts';
import { defineLibrary } from '../../../host/native-library.ts';
import { openCom } from '../../../host/windows/com/com.ts';
import { systemLibrary } from '../../../host/windows/native/library.ts';
import { slot } from '../../../host/windows/native/memory.ts';
import { IDXGIAdapter1, IDXGIFactory1 } from './dxgi.interfaces.ts';
import { DXGI_ADAPTER_DESC1 } from './dxgi.structs.ts';

/** dxgi.dll: which graphics adapters there are. */
export interface Dxgi {
  /** A DXGI_ADAPTER_DESC1 for each, also for those that are software; null: there is no DirectX here. */
  adapters(): Uint8Array[] | null;
}

/** No machine has more; a list without an end would be one otherwise. */
const mostAdapters = 64;

export const dxgiLibrary = defineLibrary('dxgi', openDxgi);

export function openDxgi(): Dxgi {
  const com = openCom();
  const { CreateDXGIFactory1 } = systemLibrary('dxgi.dll', {
    CreateDXGIFactory1: { args: ['ptr', 'ptr'], returns: 'i32' },
  });
  return {
    adapters() {
      const [wanted, place] = [com.id(IDXGIFactory1.id), slot()];
      // A factory knows the adapters of the moment it was made, so each list gets its own.
      if (CreateDXGIFactory1(address(wanted), place.place) < 0) return null;
      return com.within((scope) => {
        const factory = scope.adopt(place.u64(), IDXGIFactory1);
        const found: Uint8Array[] = [];
        for (const at = slot(); found.length < mostAdapters; ) {
          // DXGI_ERROR_NOT_FOUND behind the last one.
          if (factory.attempt('EnumAdapters1', found.length, at.place) < 0) break;
          const bytes = pinned(DXGI_ADAPTER_DESC1.size);
          scope.adopt(at.u64(), IDXGIAdapter1).call('GetDesc1', address(bytes));
          found.push(bytes);
        }
        return found;
      });
    },
  };
}
