/* Prints owner and rights of files, directories and pipes as SDDL, a line each: a reference for our own reading of them. */
#define _WIN32_WINNT 0x0A00
#include <windows.h>
#include <aclapi.h>
#include <sddl.h>
#include <stdio.h>

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    PSECURITY_DESCRIPTOR descriptor = 0;
    char *text = 0;
    DWORD what = OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, error;
    if (!strncmp(argv[i], "\\\\.\\pipe\\", 9)) {
      HANDLE pipe = CreateFileA(argv[i], READ_CONTROL, 0, 0, OPEN_EXISTING, 0, 0);
      error = pipe == INVALID_HANDLE_VALUE ? GetLastError() : GetSecurityInfo(pipe, SE_KERNEL_OBJECT, what, 0, 0, 0, 0, &descriptor);
    } else
      error = GetNamedSecurityInfoA(argv[i], SE_FILE_OBJECT, what, 0, 0, 0, 0, &descriptor);
    if (!error && ConvertSecurityDescriptorToStringSecurityDescriptorA(descriptor, 1, what, &text, 0)) printf("rights %s %s\n", argv[i], text);
    else printf("rights %s error %lu\n", argv[i], error ? error : GetLastError());
  }
  return 0;
}
