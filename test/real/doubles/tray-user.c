/* A user at the tray icon: tray-user.exe click | menu NUMBER (of the entry, from 1) | clipboard */
#include <windows.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **args) {
  HWND window = FindWindowW(0, L"Hostler tray");
  if (count > 1 && !strcmp(args[1], "clipboard")) {
    if (!OpenClipboard(0)) { puts("no clipboard"); return 1; }
    HANDLE memory = GetClipboardData(CF_UNICODETEXT);
    printf("copied %ls\n", memory ? (wchar_t *)GlobalLock(memory) : L"nothing");
    CloseClipboard();
    return 0;
  }
  if (!window) { puts("no icon"); return 1; }
  if (count < 3) { PostMessageW(window, 0x8001, 1, WM_LBUTTONUP); puts("clicked"); return 0; }
  PostMessageW(window, 0x8001, 1, WM_RBUTTONUP);
  for (int turn = 0; turn < 600 && !FindWindowW(L"#32768", 0); turn++) Sleep(50);
  if (!FindWindowW(L"#32768", 0)) { puts("no menu"); return 1; }
  Sleep(200);
  /* From the first one on: the pointer may lie on another. */
  PostMessageW(window, WM_KEYDOWN, VK_HOME, 0x1470001);
  for (int entry = atoi(args[2]); entry > 1; entry--) PostMessageW(window, WM_KEYDOWN, VK_DOWN, 0x1500001);
  PostMessageW(window, WM_KEYDOWN, VK_RETURN, 0x1c0001);
  puts("chosen");
  return 0;
}
