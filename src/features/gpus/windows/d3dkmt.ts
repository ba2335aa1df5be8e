import { address, pinned } from '../../../host/ffi.ts';
import { defineLibrary } from '../../../host/native-library.ts';
import { slot } from '../../../host/windows/native/memory.ts';
import { filledStruct, readStruct } from '../../../host/windows/native/structs.ts';
import { win32 } from '../../../host/windows/native/win32.ts';
import { D3DKMT_OPENADAPTERFROMLUID, D3DKMT_QUERYADAPTERINFO, D3DKMT_QUERYSTATISTICS } from './d3dkmt.structs.ts';

/** The graphics kernel, in gdi32.dll. Adapters are named by the eight bytes of their LUID. null: not reported. */
export type D3dkmt = ReturnType<typeof openD3dkmt>;

export const d3dkmtLibrary = defineLibrary('d3dkmt', openD3dkmt);

function openD3dkmt() {
  return {
    /** A D3DKMT_QUERYSTATISTICS: of the adapter (0), or of one of its memory segments (3) or engines (5). */
    statistics(luid: number[], type: number, index: number): Uint8Array | null {
      const query = { Type: type, AdapterLuid: luid, 'QuerySegment.SegmentId': index };
      const bytes = filledStruct(D3DKMT_QUERYSTATISTICS, query);
      return win32.D3DKMTQueryStatistics(address(bytes)) < 0 ? null : bytes;
    },
    /** A structure of `size` bytes, which depends on the KMTQUERYADAPTERINFOTYPE. */
    adapterInfo(luid: number[], type: number, size: number): Uint8Array | null {
      const opening = filledStruct(D3DKMT_OPENADAPTERFROMLUID, { AdapterLuid: luid });
      if (win32.D3DKMTOpenAdapterFromLuid(address(opening)) < 0) return null;
      const { hAdapter } = readStruct(D3DKMT_OPENADAPTERFROMLUID, opening);
      const output = pinned(size);
      const query = filledStruct(D3DKMT_QUERYADAPTERINFO, {
        hAdapter,
        Type: type,
        pPrivateDriverData: address(output),
        PrivateDriverDataSize: size,
      });
      const status = win32.D3DKMTQueryAdapterInfo(query);
      win32.D3DKMTCloseAdapter(slot(hAdapter).place);
      return status < 0 ? null : output;
    },
  };
}
