import path from 'node:path';
import { replayHid } from '../../../test/doubles/fake-hid.ts';
import { testEachMachine } from '../../../test/harness/machines.ts';
import { setPart } from '../../core/part.ts';
import { hid } from './linux/sensors.hid.ts';
import { sensorsLinux } from './sensors.linux.ts';
import { sensors } from './sensors.ts';

const exchange = (name: string) => path.join(import.meta.dirname, 'fixtures', 'exchanges', `${name}.txt`);

/** Of the devices of the desktop, /dev/hidraw5 is not accessible. */
const replayed = replayHid({ '/dev/hidraw1': exchange('kraken-z3'), '/dev/hidraw3': exchange('commander-core') });

testEachMachine('linux', import.meta.dirname, sensors.module, sensorsLinux, undefined, (host) => {
  setPart(host, hid, replayed);
});
