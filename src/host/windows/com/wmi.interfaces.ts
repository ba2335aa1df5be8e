import { defineInterface } from './interfaces.ts';

export const IWbemLocator = defineInterface('IWbemLocator', 'dc12a687-737f-11cf-884d-00aa004b2e24', {
  ConnectServer: [3, 'u64', 'u64', 'u64', 'u64', 'i32', 'u64', 'u64', 'ptr'],
});

export const IWbemServices = defineInterface('IWbemServices', '9556dc99-828c-11cf-a37e-00aa003240c7', {
  ExecQuery: [20, 'u64', 'u64', 'i32', 'u64', 'ptr'],
});

export const IEnumWbemClassObject = defineInterface('IEnumWbemClassObject', '027947e1-d731-11ce-a357-000000000001', {
  Next: [4, 'i32', 'u32', 'ptr', 'ptr'],
});

export const IWbemClassObject = defineInterface('IWbemClassObject', 'dc12a681-737f-11cf-884d-00aa004b2e24', {
  Get: [4, 'ptr', 'i32', 'ptr', 'u64', 'u64'],
});
