// Starts this many processes a second, for this many seconds; each runs for 0 to 150 ms, under a name that is hard to parse.
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void live(long number) {
  static const char *names[] = {"spike", "a) b (c", "two\nlines", ") R 1 1 1"};
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NAME, names[number % 4]);
  usleep((useconds_t)(number / 4 % 4) * 50000);
  _exit(0);
}

int main(int count, char **arguments) {
  if (count < 3) return 2;
  long rate = atol(arguments[1]), seconds = atol(arguments[2]);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Whatever goes wrong, it ends.
  alarm((unsigned)seconds + 10);
  if (nice(10) == -1) return 1;
  struct timespec begun, now;
  clock_gettime(CLOCK_MONOTONIC, &begun);
  long made = 0;
  for (;;) {
    clock_gettime(CLOCK_MONOTONIC, &now);
    double elapsed = (double)(now.tv_sec - begun.tv_sec) + (double)(now.tv_nsec - begun.tv_nsec) / 1e9;
    if (elapsed >= (double)seconds) break;
    long due = (long)(elapsed * (double)rate);
    // What could not be done in time is left out, so that it never catches up in a burst.
    if (due - made > rate / 10) made = due - rate / 10;
    for (; made < due; made++) {
      pid_t pid = fork();
      if (pid == 0) live(made);
    }
    usleep(10000);
    while (waitpid(-1, NULL, WNOHANG) > 0) {}
  }
  while (wait(NULL) > 0) {}
}
