import { defineInterface } from '../../../host/windows/com/interfaces.ts';

/** A VARIANT is larger than a register, so it is passed by address. */
export const ITaskService = defineInterface('ITaskService', '2faba4c7-4da9-4013-9697-20cc3fd40f85', {
  GetFolder: [7, 'u64', 'ptr'],
  Connect: [10, 'ptr', 'ptr', 'ptr', 'ptr'],
});

export const ITaskFolder = defineInterface('ITaskFolder', '8cfac062-a080-4c15-9a88-aa7c2af80dfc', {
  GetTask: [13, 'u64', 'ptr'],
  DeleteTask: [15, 'u64', 'i32'],
  RegisterTask: [16, 'u64', 'u64', 'i32', 'ptr', 'ptr', 'i32', 'ptr', 'ptr'],
});

export const IRegisteredTask = defineInterface('IRegisteredTask', '9c86f320-dee3-4dd1-b972-a303f26b061e', {
  get_Enabled: [10, 'ptr'],
  Run: [12, 'ptr', 'ptr'],
  get_LastTaskResult: [16, 'ptr'],
  get_Xml: [20, 'ptr'],
});
