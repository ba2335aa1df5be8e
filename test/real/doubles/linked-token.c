/* Runs a command with the linked token of this process: of an administrator, where this one has that of its other programs. */
#include <windows.h>
#include <stdio.h>
int main(int count, char **args) {
  HANDLE own, primary;
  TOKEN_LINKED_TOKEN linked;
  TOKEN_ELEVATION_TYPE type = 0;
  DWORD size, code = 1;
  char command[1024] = "";
  STARTUPINFOA start = {sizeof start};
  PROCESS_INFORMATION started;
  for (int index = 1; index < count; index += 1) {
    strcat(command, args[index]);
    strcat(command, " ");
  }
  OpenProcessToken(GetCurrentProcess(), TOKEN_ALL_ACCESS, &own);
  if (!GetTokenInformation(own, TokenLinkedToken, &linked, sizeof linked, &size)) { puts("no linked token"); return 1; }
  DuplicateTokenEx(linked.LinkedToken, TOKEN_ALL_ACCESS, 0, SecurityImpersonation, TokenPrimary, &primary);
  GetTokenInformation(primary, TokenElevationType, &type, sizeof type, &size);
  printf("elevation type %d\n", type);
  fflush(stdout);
  if (!CreateProcessAsUserA(primary, 0, command, 0, 0, TRUE, 0, 0, 0, &start, &started)) { puts("not started"); return 1; }
  WaitForSingleObject(started.hProcess, INFINITE);
  GetExitCodeProcess(started.hProcess, &code);
  return code;
}
