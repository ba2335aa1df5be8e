// For each line on stdin: open, read and close the stat file of every process, and print the CPU milliseconds.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double cpu(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

int main(void) {
  char line[64], path[300], buffer[4096];
  while (fgets(line, sizeof line, stdin)) {
    double begun = cpu();
    int processes = 0;
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; (entry = readdir(proc));) {
      if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
      snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
      int file = open(path, O_RDONLY);
      if (file < 0) continue;
      if (read(file, buffer, sizeof buffer) > 0) processes++;
      close(file);
    }
    closedir(proc);
    printf("{\"cpu\": %f, \"processes\": %d}\n", cpu() - begun, processes);
    fflush(stdout);
  }
}
