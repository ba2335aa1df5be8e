/*
 * A stand-in for a monitor behind /dev/i2c-5, as a character device in user space (CUSE): open, ioctl, read and
 * write are answered according to DDC/CI 1.1. Written from the specifications, not from the code under test.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct in_header { uint32_t len, opcode; uint64_t unique, nodeid; uint32_t uid, gid, pid, padding; };
struct out_header { uint32_t len; int32_t error; uint64_t unique; };
enum { OPEN = 14, READ = 15, WRITE = 16, RELEASE = 18, INTERRUPT = 36, IOCTL = 39, CUSE_INIT = 4096 };

static const char capabilities[] = "(prot(monitor)type(lcd)model(CUSE)vcp(02 10 12 60(0F 11 12) D6(01 04)))";
static unsigned brightness = 40, contrast = 70, input = 0x11, power = 1, address;
static uint8_t answer[64];
static size_t answered;

static void reply(int fd, uint64_t unique, int error, const void *data, size_t size) {
  uint8_t message[4096];
  struct out_header header = {sizeof header + size, -error, unique};
  memcpy(message, &header, sizeof header);
  if (size > 0) memcpy(message + sizeof header, data, size);
  if (write(fd, message, header.len) < 0) perror("reply");
}

static unsigned *feature(uint8_t code, unsigned *max) {
  *max = code == 0x10 ? 80 : code == 0x12 ? 100 : 0;
  return code == 0x10 ? &brightness : code == 0x12 ? &contrast : code == 0x60 ? &input : code == 0xd6 ? &power : NULL;
}

static void say(const uint8_t *payload, size_t size) {
  uint8_t sum = 0x50;
  answer[0] = 0x6e;
  answer[1] = 0x80 | size;
  memcpy(answer + 2, payload, size);
  for (size_t i = 0; i < size + 2; i++) sum ^= answer[i];
  answer[size + 2] = sum;
  answered = size + 3;
}

/* What was written to address 0x37. -1: not a message. */
static int received(const uint8_t *bytes, size_t size) {
  uint8_t sum = 0x6e, said[40] = {0};
  unsigned max, *value;
  for (size_t i = 0; i < size; i++) sum ^= bytes[i];
  if (address != 0x37 || size < 4 || bytes[0] != 0x51 || bytes[1] != (0x80 | (size - 3)) || sum != 0) return -1;
  say(said, 0);
  value = feature(bytes[3], &max);
  if (bytes[2] == 0x01) {
    uint8_t reported[8] = {0x02, value == NULL, bytes[3], 0, max >> 8, max, value ? *value >> 8 : 0, value ? *value : 0};
    say(reported, sizeof reported);
  } else if (bytes[2] == 0x03 && value != NULL && size == 7) {
    *value = bytes[4] << 8 | bytes[5];
    fprintf(stderr, "set %#x %u\n", bytes[3], *value);
  } else if (bytes[2] == 0xf3 && size == 6) {
    size_t offset = bytes[3] << 8 | bytes[4], all = sizeof capabilities - 1;
    size_t piece = offset >= all ? 0 : all - offset > 32 ? 32 : all - offset;
    said[0] = 0xe3;
    said[1] = bytes[3];
    said[2] = bytes[4];
    memcpy(said + 3, capabilities + (offset > all ? all : offset), piece);
    say(said, piece + 3);
  }
  return 0;
}

int main(void) {
  static uint8_t message[1 << 20];
  int fd = open("/dev/cuse", O_RDWR);
  if (fd < 0) return perror("/dev/cuse"), 1;
  for (;;) {
    ssize_t got = read(fd, message, sizeof message);
    struct in_header *in = (struct in_header *)message;
    uint8_t *body = message + sizeof *in;
    if (got < (ssize_t)sizeof *in) return perror("read"), 1;
    if (in->opcode == CUSE_INIT) {
      struct { uint32_t major, minor, unused, flags, max_read, max_write, dev_major, dev_minor, spare[10]; char info[14]; } out;
      memset(&out, 0, sizeof out);
      memcpy(&out.major, body, 8);
      out.max_read = out.max_write = 4096;
      out.dev_major = 89;
      out.dev_minor = 5;
      memcpy(out.info, "DEVNAME=i2c-5", 14);
      reply(fd, in->unique, 0, &out, (uint8_t *)out.info + 14 - (uint8_t *)&out);
    } else if (in->opcode == OPEN) {
      struct { uint64_t fh; uint32_t flags, padding; } out = {1, 1 | 4, 0};
      reply(fd, in->unique, 0, &out, sizeof out);
    } else if (in->opcode == IOCTL) {
      struct { uint64_t fh; uint32_t flags, cmd; uint64_t arg; } *order = (void *)body;
      struct { int32_t result; uint32_t flags, in, out; } out = {0, 0, 0, 0};
      if (order->cmd == 0x0703) address = order->arg;
      fprintf(stderr, "ioctl %#x %#llx\n", order->cmd, (unsigned long long)order->arg);
      reply(fd, in->unique, order->cmd == 0x0703 ? 0 : ENOTTY, &out, order->cmd == 0x0703 ? sizeof out : 0);
    } else if (in->opcode == WRITE) {
      uint32_t size = *(uint32_t *)(body + 16), out[2] = {size, 0};
      int good = received(body + 40, size) == 0;
      reply(fd, in->unique, good ? 0 : EREMOTEIO, out, good ? sizeof out : 0);
    } else if (in->opcode == READ) {
      uint32_t size = *(uint32_t *)(body + 16);
      reply(fd, in->unique, 0, answer, size < answered ? size : answered);
    } else if (in->opcode == RELEASE) {
      reply(fd, in->unique, 0, NULL, 0);
    } else if (in->opcode != INTERRUPT) {
      reply(fd, in->unique, ENOSYS, NULL, 0);
    }
  }
}
