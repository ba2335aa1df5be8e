import { defineStruct } from './structs.ts';

export const NOTIFYICONDATAW = defineStruct('NOTIFYICONDATAW', 976, {
  cbSize: [0, 'u32'],
  hWnd: [8, 'pointer'],
  uID: [16, 'u32'],
  uFlags: [20, 'u32'],
  uCallbackMessage: [24, 'u32'],
  hIcon: [32, 'pointer'],
  szTip: [40, 'wide 128'],
  szInfo: [304, 'wide 256'],
  szInfoTitle: [820, 'wide 64'],
});
