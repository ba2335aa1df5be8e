import { defineStruct } from '../native/structs.ts';

/** One value of any kind; vt selects the field. */
export const VARIANT = defineStruct('VARIANT', 24, {
  vt: [0, 'u16'],
  lVal: [8, 'i32'],
  boolVal: [8, 'i16'],
  bstrVal: [8, 'pointer'],
});
