/*
 * A user at the screen:
 *   screen-user.exe paint X Y WIDTH HEIGHT SEED   a window without a border, as in screen-pattern.ts; it stays, and is active
 *   screen-user.exe cover FILE                    shows another desktop, like the lock screen, until this file exists
 *   screen-user.exe objects PID                   the number of GDI objects of a process
 *   screen-user.exe notice                        the number of visible balloons
 *   screen-user.exe hidden COMMAND                runs it in an invisible window station
 */
#include <windows.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int width, height, seed;
static unsigned char *pixels;

static LRESULT CALLBACK called(HWND window, UINT message, WPARAM first, LPARAM second) {
  if (message == WM_PAINT) {
    PAINTSTRUCT paint;
    BITMAPINFO info = {{sizeof(BITMAPINFOHEADER), width, -height, 1, 32, BI_RGB}};
    HDC context = BeginPaint(window, &paint);
    SetDIBitsToDevice(context, 0, 0, width, height, 0, 0, 0, height, pixels, &info, DIB_RGB_COLORS);
    EndPaint(window, &paint);
    return 0;
  }
  return DefWindowProcW(window, message, first, second);
}

static int paint(int x, int y) {
  WNDCLASSEXW kind = {sizeof(kind)};
  MSG message;
  HWND window;
  SetProcessDpiAwarenessContext((HANDLE)-4);
  pixels = malloc(width * height * 4);
  for (int row = 0; row < height; row++)
    for (int column = 0; column < width; column++) {
      unsigned char *pixel = pixels + 4 * (row * width + column);
      pixel[0] = (column ^ row) + seed * 90;
      pixel[1] = row * 5 + column;
      pixel[2] = column * 7 + seed * 50;
      pixel[3] = 0;
    }
  kind.lpfnWndProc = called;
  kind.hInstance = GetModuleHandleW(0);
  kind.lpszClassName = L"Painted";
  RegisterClassExW(&kind);
  window = CreateWindowExW(WS_EX_TOPMOST, L"Painted", L"Painted", WS_POPUP | WS_VISIBLE, x, y, width, height, 0, 0, kind.hInstance, 0);
  if (!window) { puts("no window"); return 1; }
  SetForegroundWindow(window);
  UpdateWindow(window);
  puts("painted");
  fflush(stdout);
  while (GetMessageW(&message, 0, 0, 0) > 0) DispatchMessageW(&message);
  return 0;
}

static int cover(const char *until) {
  HDESK before = OpenInputDesktop(0, FALSE, GENERIC_ALL);
  HDESK other = CreateDesktopW(L"Covering", 0, 0, 0, GENERIC_ALL, 0);
  printf("covered %d\n", SwitchDesktop(other));
  fflush(stdout);
  while (GetFileAttributesA(until) == INVALID_FILE_ATTRIBUTES) Sleep(100);
  printf("uncovered %d\n", SwitchDesktop(before));
  return 0;
}

/* GetGuiResources returns nothing under Wine, so they are counted in the table that every process shares with GDI. */
struct entry { UINT64 object; ULONG owner; USHORT unique; UCHAR type, flags; UINT64 pointer; };
enum { entries = 0x10000, tableInPeb = 0xf8 };

static int objects(DWORD pid) {
  HANDLE process = OpenProcess(PROCESS_QUERY_INFORMATION | PROCESS_VM_READ, FALSE, pid);
  struct { void *status; char *peb; void *more[4]; } basic;
  LONG (WINAPI *ask)(HANDLE, int, void *, ULONG, ULONG *) = (void *)GetProcAddress(GetModuleHandleA("ntdll.dll"), "NtQueryInformationProcess");
  struct entry *table = malloc(entries * sizeof(*table));
  void *place;
  int used = 0;
  if (ask(process, 0, &basic, sizeof(basic), 0) || !ReadProcessMemory(process, basic.peb + tableInPeb, &place, sizeof(place), 0)
      || !ReadProcessMemory(process, place, table, entries * sizeof(*table), 0)) {
    puts("not reported");
    return 1;
  }
  for (int at = 0; at < entries; at++) used += table[at].type != 0;
  printf("objects %d\n", used);
  return 0;
}

static int notice(void) {
  HWND window = 0;
  int seen = 0;
  while ((window = FindWindowExW(0, window, L"tooltips_class32", 0))) seen += IsWindowVisible(window) != 0;
  printf("seen %d\n", seen);
  return 0;
}

/* As for a service: an invisible window station. */
static int hidden(const char *command) {
  STARTUPINFOA start = {sizeof(start)};
  PROCESS_INFORMATION made;
  char line[1024], place[] = "Hidden\\Default";
  HWINSTA before = GetProcessWindowStation(), station = CreateWindowStationA("Hidden", 0, GENERIC_ALL, 0);
  SetProcessWindowStation(station);
  CreateDesktopA("Default", 0, 0, 0, GENERIC_ALL, 0);
  SetProcessWindowStation(before);
  start.lpDesktop = place;
  strncpy(line, command, sizeof(line) - 1);
  if (!CreateProcessA(0, line, 0, 0, TRUE, 0, 0, 0, &start, &made)) { puts("not started"); return 1; }
  WaitForSingleObject(made.hProcess, INFINITE);
  return 0;
}

int main(int count, char **args) {
  if (count == 7 && !strcmp(args[1], "paint")) {
    width = atoi(args[4]);
    height = atoi(args[5]);
    seed = atoi(args[6]);
    return paint(atoi(args[2]), atoi(args[3]));
  }
  if (count == 3 && !strcmp(args[1], "cover")) return cover(args[2]);
  if (count == 3 && !strcmp(args[1], "objects")) return objects(atoi(args[2]));
  if (count == 3 && !strcmp(args[1], "hidden")) return hidden(args[2]);
  if (count == 2 && !strcmp(args[1], "notice")) return notice();
  puts("what?");
  return 1;
}
