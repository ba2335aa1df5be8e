// For each line with names of files on stdin: open, read and close them, and print the CPU microseconds.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double cpu(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

int main(void) {
  static char line[4096], buffer[65536];
  while (fgets(line, sizeof line, stdin)) {
    long bytes = 0, got;
    double begun = cpu();
    for (char *name = strtok(line, " \n"); name; name = strtok(NULL, " \n")) {
      int file = open(name, O_RDONLY);
      if (file < 0) continue;
      while ((got = read(file, buffer, sizeof buffer)) > 0) bytes += got;
      close(file);
    }
    printf("{\"cpu\": %f, \"bytes\": %ld}\n", cpu() - begun, bytes);
    fflush(stdout);
  }
}
