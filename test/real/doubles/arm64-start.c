/* The startup code of a C library, for a compiler that has none for Windows on arm64: the entry point, and functions that the library of Windows lacks. */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>
#include <windows.h>

int __ms_vsnprintf(char *text, size_t size, const char *format, va_list values) {
  return _vsnprintf(text, size, format, values);
}

int usleep(useconds_t microseconds) {
  Sleep(microseconds / 1000);
  return 0;
}

typedef struct { int newmode; } startup_info;
int __getmainargs(int *argc, char ***argv, char ***environment, int wildcards, startup_info *info);
void exit(int status);
int main(int argc, char **argv);

#ifdef LIBRARY
/* A library with a DllMain starts there. */
int __stdcall DllMainCRTStartup(void *instance, unsigned reason, void *reserved) { return 1; }
#else
void mainCRTStartup(void) {
  int argc;
  char **argv, **environment;
  startup_info info = {0};
  __getmainargs(&argc, &argv, &environment, 0, &info);
  exit(main(argc, argv));
}
#endif
