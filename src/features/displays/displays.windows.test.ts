import { testEachMachine } from '../../../test/harness/machines.ts';
import { displays } from './displays.ts';
import { displaysWindows } from './displays.windows.ts';

testEachMachine('windows', import.meta.dirname, displays.module, displaysWindows);
