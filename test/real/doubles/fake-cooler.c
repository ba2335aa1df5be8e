/* A cooler at the end of a pipe that sends nothing until it is initialised: what it received is in C:\standins\cooler.txt. */
#include <windows.h>
#include <stdio.h>

int main(int count, char **args) {
  for (;;) {
    HANDLE pipe = CreateNamedPipeA("\\\\.\\pipe\\hid#vid_1e71&pid_2007&mi_00#7&1a2b3c4d&0&0000#{4d1e55b2-f16f-11cf-88cb-001111000030}",
      PIPE_ACCESS_DUPLEX, PIPE_TYPE_MESSAGE | PIPE_READMODE_MESSAGE, 1, 4096, 4096, 0, 0);
    unsigned char input[256], report[64] = {0x75, 0x02};
    DWORD length;
    if (pipe == INVALID_HANDLE_VALUE) return 1;
    if (!ConnectNamedPipe(pipe, 0) && GetLastError() != ERROR_PIPE_CONNECTED) return 2;
    for (int turn = 0; turn < 2 && ReadFile(pipe, input, sizeof input, &length, 0); turn++) {
      FILE *f = fopen("C:\\standins\\cooler.txt", "a");
      fprintf(f, "%lu bytes: %02x %02x %02x %02x %02x\n", length, input[0], input[1], input[2], input[3], input[4]);
      fclose(f);
    }
    report[15] = 33; report[16] = 1; report[17] = 0xa8; report[18] = 0x06;
    while (WriteFile(pipe, report, sizeof report, &length, 0)) { FlushFileBuffers(pipe); Sleep(100); }
    CloseHandle(pipe);
  }
}
