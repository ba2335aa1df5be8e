import { testEachMachine } from '../../../test/machines.ts';
import { sensorsLinux } from './sensors.linux.ts';
import { sensors } from './sensors.ts';

testEachMachine(import.meta.dirname, sensors, sensorsLinux);
