import { testEachMachine } from '../../../test/machines.ts';
import { memoryLinux } from './memory.linux.ts';
import { memory } from './memory.ts';

testEachMachine(import.meta.dirname, memory, memoryLinux);
