/* Another program at the clipboard of Windows:
 *   clipboard-user.exe copy UNITS           puts a text there, of units of UTF-16 in hexadecimal
 *   clipboard-user.exe mark FORMAT VALUE    puts the text "secret" there, with a mark of this name and value
 *   clipboard-user.exe hold MILLISECONDS    keeps it open for so long
 *   clipboard-user.exe paste                prints its text as hexadecimal units
 */
#include <windows.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(UINT format, const void *bytes, SIZE_T size) {
  HGLOBAL memory = GlobalAlloc(GMEM_MOVEABLE, size);
  char *place = GlobalLock(memory);
  for (SIZE_T at = 0; at < size; at++) place[at] = ((const char *)bytes)[at];
  GlobalUnlock(memory);
  SetClipboardData(format, memory);
}

int main(int count, char **args) {
  HWND window = CreateWindowExA(0, "STATIC", "clipboard user", 0, 0, 0, 0, 0, HWND_MESSAGE, 0, 0, 0);
  if (count < 2 || !OpenClipboard(window)) { puts("no clipboard"); return 1; }
  if (!strcmp(args[1], "hold")) {
    puts("held"); fflush(stdout);
    Sleep(atoi(args[2]));
  } else if (!strcmp(args[1], "paste")) {
    WCHAR *text = GlobalLock(GetClipboardData(CF_UNICODETEXT));
    for (; text && *text; text++) printf("%04x", *text);
    puts(" pasted");
  } else {
    WCHAR text[256] = L"secret";
    EmptyClipboard();
    if (!strcmp(args[1], "copy")) {
      int length = strlen(args[2]) / 4;
      for (int at = 0; at < length; at++) {
        char digits[5] = {args[2][4 * at], args[2][4 * at + 1], args[2][4 * at + 2], args[2][4 * at + 3], 0};
        text[at] = strtol(digits, 0, 16);
      }
      text[length] = 0;
    }
    put(CF_UNICODETEXT, text, 2 * (lstrlenW(text) + 1));
    if (!strcmp(args[1], "mark")) { DWORD value = atoi(args[3]); put(RegisterClipboardFormatA(args[2]), &value, 4); }
    puts("copied");
  }
  CloseClipboard();
  DestroyWindow(window);
  return 0;
}
