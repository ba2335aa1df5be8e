import { address, pinned } from '../../../host/ffi.ts';
import { defineLibrary } from '../../../host/native-library.ts';
import { openCom } from '../../../host/windows/com/com.ts';
import { defineInterface } from '../../../host/windows/com/interfaces.ts';
import { guidBytes } from '../../../host/windows/native/guid.ts';
import { slot } from '../../../host/windows/native/memory.ts';
import { win32 } from '../../../host/windows/native/win32.ts';
import { DXGI_ADAPTER_DESC1 } from './dxgi.structs.ts';

export type Dxgi = ReturnType<typeof openDxgi>;

/** Bounds the list: no machine has more. */
const mostAdapters = 64;

export const dxgiLibrary = defineLibrary('dxgi', openDxgi);

function openDxgi() {
  const com = openCom();
  return {
    /** A DXGI_ADAPTER_DESC1 for each, software adapters included; null: DirectX is missing. */
    adapters(): Uint8Array[] | null {
      const place = slot();
      // A factory has the adapters as of its creation, so each list creates one.
      if (win32.CreateDXGIFactory1(guidBytes(IDXGIFactory1.id), place.place) < 0) return null;
      return com.within((scope) => {
        const factory = scope.adopt(place.u64(), IDXGIFactory1);
        const found: Uint8Array[] = [];
        for (const at = slot(); found.length < mostAdapters; ) {
          // DXGI_ERROR_NOT_FOUND marks the end.
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

const IDXGIFactory1 = defineInterface('IDXGIFactory1', '770aae78-f26f-4dba-a829-253c83d1b387', {
  EnumAdapters1: [12, 'u32', 'ptr'],
});

const IDXGIAdapter1 = defineInterface('IDXGIAdapter1', '29038f61-3839-4626-91fd-086879011a05', {
  GetDesc1: [10, 'ptr'],
});
