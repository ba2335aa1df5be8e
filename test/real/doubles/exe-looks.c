/* Prints what Windows itself reads from a program: `exe-looks PROGRAM` prints its version information, its icons and its manifest. */
#include <stdio.h>
#include <windows.h>
#include <shellapi.h>

static void say(const void *block, const char *name) {
  char path[128];
  char *value = NULL;
  UINT length = 0;
  snprintf(path, sizeof path, "\\StringFileInfo\\040904b0\\%s", name);
  if (VerQueryValueA(block, path, (void **)&value, &length) && length > 0) printf("%s: %s\n", name, value);
}

int main(int count, char **given) {
  static BYTE block[65536];
  if (count < 2) return 2;
  if (!GetFileVersionInfoA(given[1], 0, sizeof block, block)) return 3;
  say(block, "ProductName");
  say(block, "ProductVersion");
  say(block, "FileDescription");
  say(block, "OriginalFilename");
  VS_FIXEDFILEINFO *fixed = NULL;
  UINT length = 0;
  if (VerQueryValueA(block, "\\", (void **)&fixed, &length))
    printf("fixed: %lu.%lu.%lu.%lu\n", fixed->dwProductVersionMS >> 16, fixed->dwProductVersionMS & 0xffff,
           fixed->dwProductVersionLS >> 16, fixed->dwProductVersionLS & 0xffff);
  printf("icons: %u\n", (unsigned)(UINT_PTR)ExtractIconExA(given[1], -1, NULL, NULL, 0));
  HMODULE program = LoadLibraryExA(given[1], NULL, LOAD_LIBRARY_AS_DATAFILE);
  if (program == NULL) return 4;
  HICON icon = LoadImageA(program, MAKEINTRESOURCEA(1), IMAGE_ICON, 32, 32, 0);
  ICONINFO info;
  BITMAP picture;
  if (icon != NULL && GetIconInfo(icon, &info) && GetObjectA(info.hbmColor, sizeof picture, &picture))
    printf("picture: %ld x %ld\n", (long)picture.bmWidth, (long)picture.bmHeight);
  HRSRC manifest = FindResourceA(program, MAKEINTRESOURCEA(1), (LPSTR)RT_MANIFEST);
  if (manifest != NULL)
    printf("manifest:\n%.*s\n", (int)SizeofResource(program, manifest), (char *)LockResource(LoadResource(program, manifest)));
  return 0;
}
