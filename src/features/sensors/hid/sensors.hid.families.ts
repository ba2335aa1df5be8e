import { commanderCore } from './sensors.hid.commander-core.ts';
import { commanderPro } from './sensors.hid.commander-pro.ts';
import { krakenX2 } from './sensors.hid.kraken-x2.ts';
import { krakenX3 } from './sensors.hid.kraken-x3.ts';
import { krakenZ3 } from './sensors.hid.kraken-z3.ts';
import type { HidFamily } from './sensors.hid.protocol.ts';
import { smartDevice } from './sensors.hid.smart-device.ts';
import { smartDevice2 } from './sensors.hid.smart-device2.ts';

export const hidFamilies: HidFamily[] = [
  krakenX2,
  krakenX3,
  krakenZ3,
  smartDevice,
  smartDevice2,
  commanderPro,
  commanderCore,
];

/** undefined: no known protocol. `interface`: of a device with several; NaN: the only one. */
export const hidFamilyOf = (device: { vendor: number; product: number; interface: number }): HidFamily | undefined =>
  hidFamilies.find(
    ({ vendor, products, interface: wanted }) =>
      vendor === device.vendor &&
      products[device.product] !== undefined &&
      (wanted === undefined || wanted === device.interface),
  );
