import { defineStruct } from '../../../host/windows/native/structs.ts';

/** Layout of the pixels of a bitmap. */
export const BITMAPINFOHEADER = defineStruct('BITMAPINFOHEADER', 40, {
  biSize: [0, 'u32'],
  biWidth: [4, 'i32'],
  biHeight: [8, 'i32'],
  biPlanes: [12, 'u16'],
  biBitCount: [14, 'u16'],
  biCompression: [16, 'u32'],
});
