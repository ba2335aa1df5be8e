import { defineStruct } from '../native/structs.ts';

export const PROPERTYKEY = defineStruct('PROPERTYKEY', 20, { fmtid: [0, 'bytes 16'], pid: [16, 'u32'] });

/** The variant for text; there are many others. */
export const PROPVARIANT = defineStruct('PROPVARIANT', 24, { vt: [0, 'u16'], pwszVal: [8, 'pointer'] });
