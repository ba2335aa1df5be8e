import { defineStruct } from '../../../host/windows/native/structs.ts';

/** A request to a driver. https://learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-storage_property_query */
export const STORAGE_PROPERTY_QUERY = defineStruct('STORAGE_PROPERTY_QUERY', 12, {
  PropertyId: [0, 'u32'],
  QueryType: [4, 'u32'],
  AdditionalParameters: [8, 'bytes 1'],
});

/** Follows the request, in place of its last field. https://learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-storage_protocol_specific_data */
export const STORAGE_PROTOCOL_SPECIFIC_DATA = defineStruct('STORAGE_PROTOCOL_SPECIFIC_DATA', 40, {
  ProtocolType: [0, 'u32'],
  DataType: [4, 'u32'],
  ProtocolDataRequestValue: [8, 'u32'],
  ProtocolDataRequestSubValue: [12, 'u32'],
  ProtocolDataOffset: [16, 'u32'],
  ProtocolDataLength: [20, 'u32'],
});

/** The answer; the offset of the data counts from its last field. */
export const STORAGE_PROTOCOL_DATA_DESCRIPTOR = defineStruct('STORAGE_PROTOCOL_DATA_DESCRIPTOR', 48, {
  Version: [0, 'u32'],
  Size: [4, 'u32'],
  ProtocolSpecificData: [8, 'bytes 40'],
});

/** https://learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-storage_predict_failure */
export const STORAGE_PREDICT_FAILURE = defineStruct('STORAGE_PREDICT_FAILURE', 516, {
  PredictFailure: [0, 'u32'],
  VendorSpecific: [4, 'bytes 512'],
});
