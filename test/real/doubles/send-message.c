/* Sends the hidden window of the service a message that Windows sends to every window: send-message.exe MESSAGE WPARAM */
#include <windows.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **args) {
  HWND window = FindWindowW(0, L"Hostler messages");
  if (!window || count < 3) { puts("no window"); return 1; }
  printf("answered %lld\n", (long long)SendMessageW(window, atoi(args[1]), atoi(args[2]), 0));
  return 0;
}
