/*
 * A driver that replaces those of drives, with four of them: an NVMe drive, an ATA drive that expects to fail, one that only administrators may query, and
 * one that reports nothing. Wine has no drive that reports its health. Requests that need read or write access are refused, as on a handle without it.
 * It also replaces that of a UPS.
 */
#include <stdarg.h>
#include <ntstatus.h>
#define WIN32_NO_STATUS
#include <windef.h>
#include <winbase.h>
#include <winternl.h>
#include <winioctl.h>
#include <ddk/wdm.h>
#include <string.h>

/* From winioctl.h of Windows. These headers are from Wine, which has driver headers for every architecture, and lack these. */
enum { DEVICE_PROTOCOL_SPECIFIC = 50, STANDARD_QUERY = 0, NVME_PROTOCOL = 3, LOG_PAGE = 2, HEALTH_PAGE = 2 };
typedef struct {
  ULONG protocol, data, value, sub_value, offset, length, fixed, sub_value_2, sub_value_3, sub_value_4;
} protocol_data;
typedef struct { ULONG property, query; protocol_data asked; } property_query;
typedef struct { ULONG version, size; protocol_data reported; unsigned char page[512]; } protocol_answer;
typedef struct { ULONG fails; unsigned char data[512]; } prediction_answer;
typedef struct { LONGLONG counts[5]; ULONG reads, rest[11]; } performance_answer;

/* Of poclass.h. */
enum { BATTERY_QUERY_TAG = 0x294040, BATTERY_QUERY_INFORMATION = 0x294044, BATTERY_QUERY_STATUS = 0x29404c, TAG = 7 };
typedef struct { ULONG capabilities; UCHAR technology, reserved[3], chemistry[4]; ULONG designed, full, alert_1, alert_2, bias, cycles; } battery_information;
typedef struct { ULONG state, capacity, voltage; LONG rate; } battery_status;

enum { NVME = 1, ATA, GUARDED, MUTE, UPS, LAST };

static NTSTATUS finish(IRP *irp, NTSTATUS status, ULONG_PTR length) {
  irp->IoStatus.Status = status;
  irp->IoStatus.Information = length;
  IoCompleteRequest(irp, IO_NO_INCREMENT);
  return status;
}

static NTSTATUS WINAPI opened(DEVICE_OBJECT *device, IRP *irp) { return finish(irp, STATUS_SUCCESS, 0); }

/* The page "SMART / Health Information" of the NVMe specification. */
static NTSTATUS health(IRP *irp, IO_STACK_LOCATION *place) {
  property_query query;
  protocol_answer *answer = irp->AssociatedIrp.SystemBuffer;
  if (place->Parameters.DeviceIoControl.InputBufferLength < sizeof *answer) return finish(irp, STATUS_INVALID_PARAMETER, 0);
  if (place->Parameters.DeviceIoControl.OutputBufferLength < sizeof *answer) return finish(irp, STATUS_INVALID_PARAMETER, 0);
  memcpy(&query, answer, sizeof query);
  if (query.property != DEVICE_PROTOCOL_SPECIFIC || query.query != STANDARD_QUERY) return finish(irp, STATUS_INVALID_PARAMETER, 0);
  if (query.asked.protocol != NVME_PROTOCOL || query.asked.data != LOG_PAGE || query.asked.value != HEALTH_PAGE ||
      query.asked.sub_value != 0 || query.asked.offset != sizeof query.asked || query.asked.length != sizeof answer->page)
    return finish(irp, STATUS_INVALID_PARAMETER, 0);
  memset(answer, 0, sizeof *answer);
  answer->version = answer->size = FIELD_OFFSET(protocol_answer, page);
  answer->reported = query.asked;
  answer->page[0] = 1;
  answer->page[1] = (273 + 38) & 0xff, answer->page[2] = (273 + 38) >> 8;
  answer->page[5] = 101;
  answer->page[128] = 0x39, answer->page[129] = 0x30;
  answer->page[160] = 3;
  return finish(irp, STATUS_SUCCESS, sizeof *answer);
}

/* Attributes of ATA drives: 12 bytes each after a version, and a last byte that makes the checksum 0. */
static NTSTATUS prediction(IRP *irp, IO_STACK_LOCATION *place) {
  static const unsigned char counts[][3] = {{5, 7, 0}, {9, 0x10, 0x27}, {194, 44, 0}, {197, 2, 0}, {198, 1, 0}};
  prediction_answer *answer = irp->AssociatedIrp.SystemBuffer;
  unsigned char sum = 0;
  if (place->Parameters.DeviceIoControl.OutputBufferLength < sizeof *answer) return finish(irp, STATUS_BUFFER_TOO_SMALL, 0);
  memset(answer, 0, sizeof *answer);
  answer->fails = 1;
  answer->data[0] = 16;
  for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
    unsigned char *entry = answer->data + 2 + 12 * i;
    entry[0] = counts[i][0], entry[1] = 3, entry[3] = entry[4] = 100, entry[5] = counts[i][1], entry[6] = counts[i][2];
  }
  for (unsigned i = 0; i < 511; i++) sum += answer->data[i];
  answer->data[511] = -sum;
  return finish(irp, STATUS_SUCCESS, sizeof *answer);
}

static NTSTATUS performance(IRP *irp, IO_STACK_LOCATION *place) {
  performance_answer *answer = irp->AssociatedIrp.SystemBuffer;
  if (place->Parameters.DeviceIoControl.OutputBufferLength < sizeof *answer) return finish(irp, STATUS_BUFFER_TOO_SMALL, 0);
  memset(answer, 0, sizeof *answer);
  answer->counts[0] = 4096, answer->reads = 1;
  return finish(irp, STATUS_SUCCESS, sizeof *answer);
}

/* A UPS that charges, 930 of 1000; its name has no NUL. */
static NTSTATUS battery(IRP *irp, ULONG code, ULONG in, ULONG out) {
  static const WCHAR name[] = {'B', 'a', 'c', 'k', '-', 'U', 'P', 'S'};
  ULONG *numbers = irp->AssociatedIrp.SystemBuffer;
  if (code == BATTERY_QUERY_TAG && in == 4 && numbers[0] == 0 && out == 4) return numbers[0] = TAG, finish(irp, STATUS_SUCCESS, 4);
  if (in < 12 || numbers[0] != TAG) return finish(irp, STATUS_NO_SUCH_DEVICE, 0);
  if (code == BATTERY_QUERY_INFORMATION && numbers[1] == 0 && out >= sizeof(battery_information)) {
    battery_information reported = {.capabilities = 0xa0000000, .chemistry = "PbAc", .designed = 1200, .full = 1000};
    memcpy(numbers, &reported, sizeof reported);
    return finish(irp, STATUS_SUCCESS, sizeof reported);
  }
  if (code == BATTERY_QUERY_INFORMATION && numbers[1] == 4 && out >= sizeof name) {
    memcpy(numbers, name, sizeof name);
    return finish(irp, STATUS_SUCCESS, sizeof name);
  }
  if (code == BATTERY_QUERY_STATUS && in == 20 && numbers[1] == 0 && out >= sizeof(battery_status)) {
    battery_status reported = {.state = 5, .capacity = 930, .voltage = 27000, .rate = 10};
    memcpy(numbers, &reported, sizeof reported);
    return finish(irp, STATUS_SUCCESS, sizeof reported);
  }
  return finish(irp, STATUS_INVALID_PARAMETER, 0);
}

static NTSTATUS WINAPI asked(DEVICE_OBJECT *device, IRP *irp) {
  IO_STACK_LOCATION *place = IoGetCurrentIrpStackLocation(irp);
  ULONG code = place->Parameters.DeviceIoControl.IoControlCode;
  int drive = *(int *)device->DeviceExtension;
  if (drive == UPS)
    return battery(irp, code, place->Parameters.DeviceIoControl.InputBufferLength, place->Parameters.DeviceIoControl.OutputBufferLength);
  if ((code >> 14 & 3) != FILE_ANY_ACCESS) return finish(irp, STATUS_ACCESS_DENIED, 0);
  if (code == IOCTL_DISK_PERFORMANCE) return performance(irp, place);
  if (drive == GUARDED) return finish(irp, STATUS_ACCESS_DENIED, 0);
  if (drive == NVME && code == IOCTL_STORAGE_QUERY_PROPERTY) return health(irp, place);
  if (drive == ATA && code == IOCTL_STORAGE_PREDICT_FAILURE) return prediction(irp, place);
  return finish(irp, STATUS_INVALID_DEVICE_REQUEST, 0);
}

NTSTATUS WINAPI DriverEntry(DRIVER_OBJECT *driver, UNICODE_STRING *path) {
  driver->MajorFunction[IRP_MJ_CREATE] = driver->MajorFunction[IRP_MJ_CLOSE] = opened;
  driver->MajorFunction[IRP_MJ_DEVICE_CONTROL] = asked;
  for (int drive = NVME; drive < LAST; drive++) {
    WCHAR name[] = L"\\Device\\HostlerDrive0", link[] = L"\\DosDevices\\PhysicalDrive0", ups[] = L"\\DosDevices\\HostlerUps";
    UNICODE_STRING device, known;
    DEVICE_OBJECT *made;
    NTSTATUS status;
    name[sizeof name / 2 - 2] += drive, link[sizeof link / 2 - 2] += drive;
    RtlInitUnicodeString(&device, name), RtlInitUnicodeString(&known, drive == UPS ? ups : link);
    if ((status = IoCreateDevice(driver, sizeof(int), &device, FILE_DEVICE_DISK, 0, FALSE, &made))) return status;
    *(int *)made->DeviceExtension = drive;
    if ((status = IoCreateSymbolicLink(&known, &device))) return status;
  }
  return STATUS_SUCCESS;
}
