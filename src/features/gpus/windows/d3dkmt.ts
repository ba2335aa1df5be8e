import { address, pinned } from '../../../host/ffi.ts';
import { defineLibrary } from '../../../host/native-library.ts';
import { systemLibrary } from '../../../host/windows/native/library.ts';
import { D3DKMT_OPENADAPTERFROMLUID, D3DKMT_QUERYADAPTERINFO, D3DKMT_QUERYSTATISTICS } from './d3dkmt.structs.ts';

/** The graphics kernel, in gdi32.dll. Adapters are named by the eight bytes of their LUID. null: not reported. */
export type D3dkmt = ReturnType<typeof openD3dkmt>;

export const d3dkmtLibrary = defineLibrary('d3dkmt', openD3dkmt);

function openD3dkmt() {
  const one = { args: ['ptr'], returns: 'i32' } as const;
  const gdi32 = systemLibrary('gdi32.dll', {
    D3DKMTQueryStatistics: one,
    D3DKMTOpenAdapterFromLuid: one,
    D3DKMTQueryAdapterInfo: one,
    D3DKMTCloseAdapter: one,
  });
  return {
    /** A D3DKMT_QUERYSTATISTICS: of the adapter (0), or of one of its memory segments (3) or engines (5). */
    statistics(luid: number[], type: number, index: number): Uint8Array | null {
      const bytes = pinned(D3DKMT_QUERYSTATISTICS.size);
      const { Type, AdapterLuid, 'QuerySegment.SegmentId': which } = D3DKMT_QUERYSTATISTICS.fields;
      const view = new DataView(bytes.buffer);
      view.setUint32(Type[0], type, true);
      bytes.set(luid, AdapterLuid[0]);
      view.setUint32(which[0], index, true);
      return gdi32.D3DKMTQueryStatistics(address(bytes)) < 0 ? null : bytes;
    },
    /** A structure of `size` bytes, which depends on the KMTQUERYADAPTERINFOTYPE. */
    adapterInfo(luid: number[], type: number, size: number): Uint8Array | null {
      const opening = pinned(D3DKMT_OPENADAPTERFROMLUID.size);
      opening.set(luid, D3DKMT_OPENADAPTERFROMLUID.fields.AdapterLuid[0]);
      if (gdi32.D3DKMTOpenAdapterFromLuid(address(opening)) < 0) return null;
      const handle = opening.slice(D3DKMT_OPENADAPTERFROMLUID.fields.hAdapter[0]);
      const [query, output] = [pinned(D3DKMT_QUERYADAPTERINFO.size), pinned(size)];
      const { hAdapter, Type, pPrivateDriverData, PrivateDriverDataSize } = D3DKMT_QUERYADAPTERINFO.fields;
      const view = new DataView(query.buffer);
      query.set(handle, hAdapter[0]);
      view.setUint32(Type[0], type, true);
      view.setBigUint64(pPrivateDriverData[0], BigInt(address(output)), true);
      view.setUint32(PrivateDriverDataSize[0], size, true);
      const status = gdi32.D3DKMTQueryAdapterInfo(address(query));
      const closing = pinned(4);
      closing.set(handle);
      gdi32.D3DKMTCloseAdapter(address(closing));
      return status < 0 ? null : output;
    },
  };
}
