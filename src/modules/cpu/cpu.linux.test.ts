import { testEachMachine } from '../../../test/machines.ts';
import { cpuLinux } from './cpu.linux.ts';
import { cpu } from './cpu.ts';

testEachMachine(import.meta.dirname, cpu, cpuLinux);
