/* A window that records the pointer events over it, one line each, in desktop coordinates:
 *   pointer-user.exe X Y WIDTH HEIGHT
 */
#include <windows.h>
#include <windowsx.h>
#include <stdio.h>
#include <stdlib.h>

static void say(const char *what, int x, int y) { printf("%s %d %d\n", what, x, y); fflush(stdout); }

static LRESULT CALLBACK hear(HWND window, UINT message, WPARAM first, LPARAM second) {
  POINT at = {GET_X_LPARAM(second), GET_Y_LPARAM(second)};
  if (message >= WM_MOUSEFIRST && message <= WM_MOUSELAST && message != WM_MOUSEWHEEL && message != WM_MOUSEHWHEEL)
    ClientToScreen(window, &at);
  switch (message) {
    case WM_LBUTTONDOWN: say("press left", at.x, at.y); return 0;
    case WM_LBUTTONUP: say("release left", at.x, at.y); return 0;
    case WM_LBUTTONDBLCLK: say("double left", at.x, at.y); return 0;
    case WM_RBUTTONDOWN: say("press right", at.x, at.y); return 0;
    case WM_RBUTTONUP: say("release right", at.x, at.y); return 0;
    case WM_RBUTTONDBLCLK: say("double right", at.x, at.y); return 0;
    case WM_MBUTTONDOWN: say("press middle", at.x, at.y); return 0;
    case WM_MBUTTONUP: say("release middle", at.x, at.y); return 0;
    case WM_MBUTTONDBLCLK: say("double middle", at.x, at.y); return 0;
    case WM_MOUSEWHEEL: say("wheel", 0, GET_WHEEL_DELTA_WPARAM(first)); return 0;
    case WM_MOUSEHWHEEL: say("wheel", GET_WHEEL_DELTA_WPARAM(first), 0); return 0;
  }
  return DefWindowProcW(window, message, first, second);
}

int main(int count, char **args) {
  WNDCLASSEXW kind = {sizeof(kind), CS_DBLCLKS, hear};
  kind.hInstance = GetModuleHandleW(0);
  kind.lpszClassName = L"pointer-user";
  kind.hbrBackground = (HBRUSH)(COLOR_WINDOW + 1);
  RegisterClassExW(&kind);
  if (count < 5) return 1;
  HWND window = CreateWindowExW(WS_EX_TOPMOST, L"pointer-user", L"pointer user", WS_POPUP | WS_VISIBLE, atoi(args[1]), atoi(args[2]),
                                atoi(args[3]), atoi(args[4]), 0, 0, kind.hInstance, 0);
  if (!window) return 1;
  SetForegroundWindow(window);
  puts("shown"); fflush(stdout);
  MSG message;
  while (GetMessageW(&message, 0, 0, 0) > 0) DispatchMessageW(&message);
  return 0;
}
