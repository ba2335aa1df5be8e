import { defineInterface } from '../../../host/windows/com/interfaces.ts';

export const IDXGIFactory1 = defineInterface('IDXGIFactory1', '770aae78-f26f-4dba-a829-253c83d1b387', {
  EnumAdapters1: [12, 'u32', 'ptr'],
});

export const IDXGIAdapter1 = defineInterface('IDXGIAdapter1', '29038f61-3839-4626-91fd-086879011a05', {
  GetDesc1: [10, 'ptr'],
});
