import { defineInterface } from '../../../host/windows/com/interfaces.ts';

export const IShellLinkW = defineInterface('IShellLinkW', '000214f9-0000-0000-c000-000000000046', {
  SetDescription: [7, 'ptr'],
  SetWorkingDirectory: [9, 'ptr'],
  SetArguments: [11, 'ptr'],
  SetPath: [20, 'ptr'],
});

export const IPersistFile = defineInterface('IPersistFile', '0000010b-0000-0000-c000-000000000046', {
  Save: [6, 'ptr', 'i32'],
});
