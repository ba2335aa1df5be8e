import { defineStruct } from '../../../host/windows/native/structs.ts';

/** One service in a list. https://learn.microsoft.com/windows/win32/api/winsvc/ns-winsvc-enum_service_status_processw */
export const ENUM_SERVICE_STATUS_PROCESSW = defineStruct('ENUM_SERVICE_STATUS_PROCESSW', 56, {
  lpServiceName: [0, 'pointer'],
  lpDisplayName: [8, 'pointer'],
  'ServiceStatusProcess.dwServiceType': [16, 'u32'],
  'ServiceStatusProcess.dwCurrentState': [20, 'u32'],
  'ServiceStatusProcess.dwWin32ExitCode': [28, 'u32'],
  'ServiceStatusProcess.dwServiceSpecificExitCode': [32, 'u32'],
  'ServiceStatusProcess.dwProcessId': [44, 'u32'],
});

export const SERVICE_STATUS_PROCESS = defineStruct('SERVICE_STATUS_PROCESS', 36, {
  dwServiceType: [0, 'u32'],
  dwCurrentState: [4, 'u32'],
  dwControlsAccepted: [8, 'u32'],
  dwWin32ExitCode: [12, 'u32'],
  dwServiceSpecificExitCode: [16, 'u32'],
  dwProcessId: [28, 'u32'],
});

/** Without the list of processes. */
export const ENUM_SERVICE_STATUSW = defineStruct('ENUM_SERVICE_STATUSW', 48, {
  lpServiceName: [0, 'pointer'],
  'ServiceStatus.dwCurrentState': [20, 'u32'],
});

export const QUERY_SERVICE_CONFIGW = defineStruct('QUERY_SERVICE_CONFIGW', 64, { dwStartType: [4, 'u32'] });
