/* A library with the interface of libnvidia-ml, for machines without such a GPU. Its values are in the file STATE:
   code of nvmlInit, number of GPUs, which of them is lost (-1: none), code of every reading, milliseconds a reading takes. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct state { int init, count, lost, reading, delay; };

static struct state now(void) {
  struct state s = {0, 0, -1, 0, 0};
  FILE *file = fopen(STATE, "r");
  if (file) {
    if (fscanf(file, "%d %d %d %d %d", &s.init, &s.count, &s.lost, &s.reading, &s.delay) < 1) s.init = 999;
    fclose(file);
  }
  return s;
}

static int sessions = 0;
static char devices[16];
static int index_of(void *device) { return (int)((char *)device - devices); }

static int reading(void *device) {
  struct state s = now();
  if (sessions == 0) return 1;
  usleep(s.delay * 1000);
  return index_of(device) == s.lost ? 15 : s.reading;
}

int nvmlInit_v2(void) {
  int code = now().init;
  if (code == 0) sessions++;
  return code;
}

int nvmlShutdown(void) {
  if (sessions == 0) return 1;
  sessions--;
  return 0;
}

int fakeSessions(void) { return sessions; }

int nvmlDeviceGetCount_v2(unsigned *count) {
  *count = now().count;
  return sessions > 0 ? 0 : 1;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) {
  if ((int)index == now().lost) return 15;
  *device = devices + index;
  return 0;
}

int nvmlDeviceGetUUID(void *device, char *text, unsigned length) {
  snprintf(text, length, "GPU-00000000-0000-0000-0000-%012d", index_of(device));
  return 0;
}

int nvmlDeviceGetName(void *device, char *text, unsigned length) {
  snprintf(text, length, "NVIDIA Pretence %d", index_of(device));
  return 0;
}

struct pci { char legacy[16]; unsigned domain, bus, device, id, subsystem; char bus_id[32]; };

int nvmlDeviceGetPciInfo_v3(void *device, struct pci *pci) {
  memset(pci, 0, sizeof *pci);
  snprintf(pci->legacy, sizeof pci->legacy, "0000:%02X:00.0", 0xa0 + index_of(device));
  snprintf(pci->bus_id, sizeof pci->bus_id, "00000000:%02X:00.0", 0xa0 + index_of(device));
  return 0;
}

int nvmlDeviceGetClockInfo(void *device, int type, unsigned *clock) {
  *clock = type == 0 ? 1980 : type == 2 ? 3201 : 7;
  return reading(device);
}

int nvmlDeviceGetUtilizationRates(void *device, unsigned rates[2]) {
  rates[0] = 73;
  rates[1] = 21;
  return reading(device);
}

int nvmlDeviceGetMemoryInfo(void *device, unsigned long long memory[3]) {
  memory[0] = 150754820096ULL;
  memory[1] = 150000000000ULL;
  memory[2] = 754820096ULL;
  return reading(device);
}

#ifndef OLD
struct memory { unsigned version; unsigned long long total, reserved, available, used; };

int nvmlDeviceGetMemoryInfo_v2(void *device, struct memory *memory) {
  if (memory->version != (sizeof *memory | 2 << 24)) return 25;
  memory->total = 150754820096ULL;
  memory->reserved = 654820096ULL;
  memory->available = 150000000000ULL;
  memory->used = 100000000ULL;
  return reading(device);
}

struct process { unsigned pid; unsigned long long memory; unsigned gpu_instance, compute_instance; };

static int list(void *device, unsigned *count, struct process *processes, unsigned first, unsigned number) {
  unsigned room = *count;
  int code = reading(device);
  *count = number;
  if (code != 0) return code;
  if (room < number) return 7;
  for (unsigned index = 0; index < number; index++)
    processes[index] = (struct process){first + index, 1000000ULL * (first + index), ~0u, ~0u};
  return 0;
}

/* 70 computes, 71 does both, 72 draws and does not report its memory. */
int nvmlDeviceGetComputeRunningProcesses_v2(void *device, unsigned *count, struct process *processes) {
  return list(device, count, processes, 70, 2);
}

int nvmlDeviceGetGraphicsRunningProcesses_v2(void *device, unsigned *count, struct process *processes) {
  int code = list(device, count, processes, 71, 2);
  if (code == 0) processes[1].memory = ~0ULL;
  return code;
}

struct sample { unsigned pid; unsigned long long at; unsigned cores, memory, encoder, decoder; };

/* The newest of 70 is not the first one; 71 was idle since the last call, 72 always; 99 has ended. */
int nvmlDeviceGetProcessUtilization(void *device, struct sample *samples, unsigned *count, unsigned long long since) {
  unsigned room = *count;
  int code = reading(device);
  *count = 3;
  if (code != 0) return code;
  if (room < 3) return 7;
  samples[0] = (struct sample){70, since + 2000, 40, 1, 2, 3};
  samples[1] = (struct sample){70, since + 1000, 90, 1, 2, 3};
  samples[2] = (struct sample){99, since + 3000, 77, 1, 2, 3};
  return 0;
}
#endif

int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts) {
  *milliwatts = 74321;
  return reading(device);
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *degrees) {
  *degrees = sensor == 0 ? 27 : 99;
  return reading(device);
}
