import { testEachMachine } from '../../../test/machines.ts';
import { networksLinux } from './networks.linux.ts';
import { networks } from './networks.ts';

testEachMachine(import.meta.dirname, networks, networksLinux);
