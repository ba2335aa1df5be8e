/* A stand-in for dxva2.dll, which Wine has without monitors: each display has one, from 20 to 120. What is set is written to C:\brightness.txt. */
#include <windows.h>
#include <stdio.h>

typedef struct { HANDLE handle; WCHAR description[128]; } Monitor;
static const char *file = "C:\\brightness.txt";

__declspec(dllexport) BOOL WINAPI GetNumberOfPhysicalMonitorsFromHMONITOR(HMONITOR m, DWORD *n) { *n = m ? 1 : 0; return m != 0; }
__declspec(dllexport) BOOL WINAPI GetPhysicalMonitorsFromHMONITOR(HMONITOR m, DWORD n, Monitor *list) {
  list[0].handle = (HANDLE)0x77;
  return n == 1;
}
__declspec(dllexport) BOOL WINAPI DestroyPhysicalMonitors(DWORD n, Monitor *list) { return list[0].handle == (HANDLE)0x77; }
__declspec(dllexport) BOOL WINAPI GetMonitorBrightness(HANDLE m, DWORD *least, DWORD *current, DWORD *most) {
  int value = 70;
  FILE *f = fopen(file, "r");
  if (f) { fscanf(f, "%d", &value); fclose(f); }
  *least = 20, *current = value, *most = 120;
  return m == (HANDLE)0x77;
}
__declspec(dllexport) BOOL WINAPI SetMonitorBrightness(HANDLE m, DWORD value) {
  FILE *f = fopen(file, "w");
  if (!f || m != (HANDLE)0x77) return FALSE;
  fprintf(f, "%u\n", (unsigned)value);
  fclose(f);
  return TRUE;
}
