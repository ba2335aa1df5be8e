/* Locks a file until it is killed; or listens at a pipe and never answers. */
#include <windows.h>
#include <stdio.h>

int main(int argc, char **argv) {
  HANDLE held = INVALID_HANDLE_VALUE;
  /* Another program may have it open at the moment. */
  for (int tries = 0; held == INVALID_HANDLE_VALUE && tries < 1000; tries++) {
    if (tries > 0) Sleep(20);
    held = argv[1][0] == 'p'
      ? CreateNamedPipeA(argv[2], PIPE_ACCESS_DUPLEX, PIPE_TYPE_BYTE, 8, 4096, 4096, 0, NULL)
      : CreateFileA(argv[2], GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL);
  }
  FILE *note = fopen(argv[3], "w");
  fprintf(note, "%d %lu\n", held != INVALID_HANDLE_VALUE, GetCurrentProcessId());
  fclose(note);
  Sleep(600000);
}
