/* Sends the hidden window of the service a message that Windows sends to every window: send-message.exe MESSAGE WPARAM
 * With COUNT PAUSE it sends so many, in turn with WPARAM and WPARAM + 1, with so many milliseconds between them. */
#include <windows.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **args) {
  HWND window = FindWindowW(0, L"Hostler messages");
  if (!window || count < 3) { puts("no window"); return 1; }
  if (count == 5) {
    int sent = 0;
    for (int most = atoi(args[3]); sent < most && IsWindow(window); sent += 1) {
      SendMessageW(window, atoi(args[1]), atoi(args[2]) + (sent & 1), 0);
      Sleep(atoi(args[4]));
    }
    printf("sent %d\n", sent);
    return 0;
  }
  printf("answered %lld\n", (long long)SendMessageW(window, atoi(args[1]), atoi(args[2]), 0));
  return 0;
}
