import { defineInterface } from './interfaces.ts';

/** Their methods begin with number 6. Of generic interfaces one type is listed: the numbers are the same for all, and none is queried by GUID. */

export const IAsyncInfo = defineInterface('IAsyncInfo', '00000036-0000-0000-c000-000000000046', {
  get_Status: [7, 'ptr'],
  get_ErrorCode: [8, 'ptr'],
});

export const IAsyncOperation = defineInterface('__FIAsyncOperation_1_boolean', 'cdb5efb3-5788-509d-9be1-71ccb8a3362a', {
  GetResults: [8, 'ptr'],
});

export const IAsyncOperationWithProgress = defineInterface(
  '__FIAsyncOperationWithProgress_2_UINT32_UINT32',
  'eccb574a-c684-5572-a679-6b0842cfb57f',
  { GetResults: [10, 'ptr'] },
  'wine',
);

export const IReference = defineInterface(
  '__FIReference_1_boolean',
  '3c00fd60-2950-5939-a21a-2d12c5a01b8a',
  { get_Value: [6, 'ptr'] },
  'wine',
);

export const IVectorView = defineInterface('__FIVectorView_1_HSTRING', '2f13c006-a03a-5f69-b090-75a43e33423e', {
  GetAt: [6, 'u32', 'ptr'],
  get_Size: [7, 'ptr'],
});

const streams = '__x_ABI_CWindows_CStorage_CStreams_C';

export const IRandomAccessStreamReference = defineInterface(
  `${streams}IRandomAccessStreamReference`,
  '33ee3134-1dd6-4e3a-8067-d1c162e8642b',
  { OpenReadAsync: [6, 'ptr'] },
  'wine',
);

export const IRandomAccessStream = defineInterface(
  `${streams}IRandomAccessStream`,
  '905a0fe1-bc53-11df-8c49-001e4fc686da',
  { get_Size: [6, 'ptr'] },
);

export const IInputStream = defineInterface(
  `${streams}IInputStream`,
  '905a0fe2-bc53-11df-8c49-001e4fc686da',
  { ReadAsync: [6, 'u64', 'u32', 'u32', 'ptr'] },
  'neither',
);

export const IBufferFactory = defineInterface(`${streams}IBufferFactory`, '71af914d-c10f-484b-bc50-14bc623b3a27', {
  Create: [6, 'u32', 'ptr'],
});

export const IBuffer = defineInterface(`${streams}IBuffer`, '905a0fe0-bc53-11df-8c49-001e4fc686da', {
  get_Length: [7, 'ptr'],
});

export const IBufferByteAccess = defineInterface(
  '__x_Windows_CStorage_CStreams_CIBufferByteAccess',
  '905a0fef-bc53-11df-8c49-001e4fc686da',
  { Buffer: [3, 'ptr'] },
);
