/*
 * A stand-in for cfgmgr32.dll and hid.dll with one device, a cooler of NZXT. Wine has no such device, so a program simulates it: fake-cooler.c, at the
 * other end of a pipe. Its path has the form of a real one.
 */
#define HidD_GetPreparsedData declared_HidD_GetPreparsedData
#define HidD_FreePreparsedData declared_HidD_FreePreparsedData
#define HidP_GetCaps declared_HidP_GetCaps
#define HidP_GetValueCaps declared_HidP_GetValueCaps
#include <windows.h>
#include <hidsdi.h>
#include <string.h>
/* What the headers declare as imported is defined here. */
#undef HidD_GetPreparsedData
#undef HidD_FreePreparsedData
#undef HidP_GetCaps
#undef HidP_GetValueCaps

static const wchar_t paths[] = L"\\\\?\\hid#vid_046d&pid_c52b&mi_01#8&2&0&0000#{4d1e55b2-f16f-11cf-88cb-001111000030}\0"
  L"\\\\.\\pipe\\hid#vid_1e71&pid_2007&mi_00#7&1a2b3c4d&0&0000#{4d1e55b2-f16f-11cf-88cb-001111000030}\0";

__declspec(dllexport) DWORD WINAPI CM_Get_Device_Interface_List_SizeW(ULONG *size, GUID *kind, wchar_t *id, ULONG flags) {
  *size = sizeof paths / 2;
  return kind->Data1 == 0x4d1e55b2 && id == 0 && flags == 0 ? 0 : 5;
}
__declspec(dllexport) DWORD WINAPI CM_Get_Device_Interface_ListW(GUID *kind, wchar_t *id, wchar_t *out, ULONG size, ULONG flags) {
  if (size < sizeof paths / 2) return 26;
  memcpy(out, paths, sizeof paths);
  return 0;
}

/* Numbered reports of 64 bytes, the number included. */
static int parsed;
__declspec(dllexport) BOOLEAN WINAPI HidD_GetPreparsedData(HANDLE device, void **out) { *out = &parsed; return TRUE; }
__declspec(dllexport) BOOLEAN WINAPI HidD_FreePreparsedData(void *given) { return given == &parsed; }
__declspec(dllexport) LONG WINAPI HidP_GetCaps(void *given, HIDP_CAPS *caps) {
  memset(caps, 0, sizeof *caps);
  caps->InputReportByteLength = caps->OutputReportByteLength = 64;
  caps->NumberOutputValueCaps = 2;
  return given == &parsed ? 0x110000 : 0xc0110001;
}
__declspec(dllexport) LONG WINAPI HidP_GetValueCaps(int kind, HIDP_VALUE_CAPS *caps, USHORT *count, void *given) {
  if (kind != 1 || *count != 2 || given != &parsed) return 0xc0110007;
  memset(caps, 0, 2 * sizeof *caps);
  caps[0].ReportID = 0x10;
  caps[1].ReportID = 0x70;
  return 0x110000;
}
