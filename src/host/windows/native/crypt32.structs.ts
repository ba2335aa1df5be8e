import { defineStruct } from './structs.ts';

/** Bytes and where they are. https://learn.microsoft.com/windows/win32/api/dpapi/nf-dpapi-cryptprotectdata */
export const DATA_BLOB = defineStruct('DATA_BLOB', 16, { cbData: [0, 'u32'], pbData: [8, 'pointer'] });
