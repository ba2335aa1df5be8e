import { corsairFamilies } from './sensors.hid.corsair.ts';
import { nzxtFamilies } from './sensors.hid.nzxt.ts';
import type { HidFamily } from './sensors.hid.protocol.ts';

export const hidFamilies = [...nzxtFamilies, ...corsairFamilies];

/** undefined: no known protocol. `interface`: of a device with several; NaN: the only one. */
export const hidFamilyOf = (device: { vendor: number; product: number; interface: number }): HidFamily | undefined =>
  hidFamilies.find(
    ({ vendor, products, interface: wanted }) =>
      vendor === device.vendor &&
      products[device.product] !== undefined &&
      (wanted === undefined || wanted === device.interface),
  );
