// So many processes that sleep, every fifth with four threads, every fiftieth waking ten times a second; they end with their parent.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static void *nap(void *unused) {
  for (;;) pause();
  return unused;
}

static void live(int threads, int wakes) {
  // Not inherited.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 65536);
  for (int i = 1; i < threads; i++) {
    pthread_t thread;
    pthread_create(&thread, &small, nap, NULL);
  }
  while (wakes) usleep(100000);
  nap(NULL);
}

int main(int count, char **arguments) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int processes = count > 1 ? atoi(arguments[1]) : 0;
  for (int i = 0; i < processes; i++) {
    int pid = fork();
    if (pid == 0) live(i % 5 == 0 ? 4 : 1, i % 50 == 0);
    if (pid < 0) perror("fork");
  }
  puts("ready");
  fflush(stdout);
  nap(NULL);
}
