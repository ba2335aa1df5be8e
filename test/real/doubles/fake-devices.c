/*
 * A stand-in for cfgmgr32.dll and xinput1_4.dll: a Bluetooth headset that reports its battery by its hands-free profile, a keyboard by Bluetooth LE, a speaker
 * that is off, a controller with a battery, a UPS, and network cards that can or cannot wake the machine from sleep. Wine has none of them.
 */
#define INITGUID
#include <windows.h>
#include <devpropdef.h>
#include <devpkey.h>
#include <string.h>

DEFINE_DEVPROPKEY(battery_level, 0x104ea319, 0x6ee2, 0x4701, 0xbd, 0x47, 0x8d, 0xdb, 0xf4, 0x25, 0xbb, 0xe5, 2);
DEFINE_DEVPROPKEY(is_connected, 0x83da6326, 0x97a6, 0x4088, 0x94, 0x53, 0xa1, 0x92, 0x3f, 0x57, 0x3b, 0x29, 15);
DEFINE_DEVPROPKEY(class_of_device, 0x2bd67d8b, 0x8beb, 0x48d5, 0x87, 0xe0, 0x6c, 0xda, 0x34, 0x28, 0x04, 0x0a, 10);

enum { SUCCESS = 0, NO_SUCH_DEVNODE = 0xd, BUFFER_SMALL = 0x1a, NO_SUCH_VALUE = 0x25, INVALID_FLAG = 4, PRESENT_OF_ENUMERATOR = 0x101 };

static const struct {
  const wchar_t *id, *name, *setup;
  int level, connected, kind, wake;
} nodes[] = {
  {L"BTHENUM\\DEV_0011223344AA\\7&1a2b3c4d&0&BLUETOOTHDEVICE_0011223344AA", L"WH-1000XM4", L"Bluetooth", -1, 1, 0x240404, -1},
  {L"BTHENUM\\{0000111e-0000-1000-8000-00805f9b34fb}_VID&0002054c_PID&0d58\\7&1a2b3c4d&0&0011223344AA_C00000000",
   L"WH-1000XM4 Hands-Free AG", L"System", 70, -1, -1, -1},
  {L"BTHENUM\\DEV_0011223344BB\\7&1a2b3c4d&0&BLUETOOTHDEVICE_0011223344BB", L"Speaker", L"Bluetooth", 40, 0, 0x240414, -1},
  {L"BTHLE\\DEV_0011223344CC\\8&2b3c4d5e&0&0011223344CC", L"Tastatur \x00fc \x20ac", L"Bluetooth", 100, 1, -1, -1},
  {L"HID\\{00001812-0000-1000-8000-00805f9b34fb}_DEV_VID&02046d_PID&b35b_REV&0007_0011223344CC&COL01\\9&3c4d5e6f&0&0000",
   L"HID Keyboard Device", L"Keyboard", -1, -1, -1, -1},
  {L"PCI\\VEN_8086&DEV_15B8\\3&11583659&0&FE", L"Card", L"Net", -1, -1, -1, PowerSystemHibernate},
  {L"USB\\VID_0BDA&PID_8153\\000001", L"Card", L"Net", -1, -1, -1, PowerSystemUnspecified},
};
#define COUNT (sizeof nodes / sizeof *nodes)

/* Those of one enumerator, each with its NUL, and a final one; returns the number of characters. */
static ULONG list(const wchar_t *filter, wchar_t *out) {
  ULONG length = 0;
  for (unsigned i = 0; i < COUNT; i++) {
    size_t prefix = wcslen(filter), size = wcslen(nodes[i].id) + 1;
    if (wcsncmp(nodes[i].id, filter, prefix) || nodes[i].id[prefix] != '\\') continue;
    if (out) memcpy(out + length, nodes[i].id, 2 * size);
    length += size;
  }
  if (out) out[length] = 0;
  return length + 1;
}

__declspec(dllexport) DWORD WINAPI CM_Get_Device_ID_List_SizeW(ULONG *size, const wchar_t *filter, ULONG flags) {
  if (flags != PRESENT_OF_ENUMERATOR) return INVALID_FLAG;
  *size = list(filter, 0);
  return SUCCESS;
}
__declspec(dllexport) DWORD WINAPI CM_Get_Device_ID_ListW(const wchar_t *filter, wchar_t *out, ULONG size, ULONG flags) {
  if (flags != PRESENT_OF_ENUMERATOR) return INVALID_FLAG;
  if (size < list(filter, 0)) return BUFFER_SMALL;
  list(filter, out);
  return SUCCESS;
}

/* The interface of batteries; the device itself is in fake-driver.c. */
static const wchar_t batteries[] = L"\\\\.\\HostlerUps\0";
static const GUID battery_interface = {0x72631e54, 0x78a4, 0x11d0, {0xbc, 0xf7, 0x00, 0xaa, 0x00, 0xb7, 0xb3, 0x2a}};

__declspec(dllexport) DWORD WINAPI CM_Get_Device_Interface_List_SizeW(ULONG *size, GUID *kind, wchar_t *id, ULONG flags) {
  if (id || flags) return INVALID_FLAG;
  *size = memcmp(kind, &battery_interface, sizeof *kind) ? 1 : sizeof batteries / 2;
  return SUCCESS;
}
__declspec(dllexport) DWORD WINAPI CM_Get_Device_Interface_ListW(GUID *kind, wchar_t *id, wchar_t *out, ULONG size, ULONG flags) {
  if (id || flags || memcmp(kind, &battery_interface, sizeof *kind)) return INVALID_FLAG;
  if (size < sizeof batteries / 2) return BUFFER_SMALL;
  memcpy(out, batteries, sizeof batteries);
  return SUCCESS;
}

__declspec(dllexport) DWORD WINAPI CM_Locate_DevNodeW(DWORD *node, wchar_t *id, ULONG flags) {
  for (*node = 0; *node < COUNT; ++*node) if (!wcscmp(nodes[*node].id, id)) return flags ? INVALID_FLAG : SUCCESS;
  return NO_SUCH_DEVNODE;
}

static DWORD give(DEVPROPTYPE *kind, BYTE *out, ULONG *size, DEVPROPTYPE reported, const void *value, ULONG length) {
  ULONG room = *size;
  *kind = reported;
  *size = length;
  if (room < length) return BUFFER_SMALL;
  memcpy(out, value, length);
  return SUCCESS;
}
static int is(const DEVPROPKEY *key, const DEVPROPKEY *other) { return !memcmp(key, other, sizeof *key); }

__declspec(dllexport) DWORD WINAPI CM_Get_DevNode_PropertyW(DWORD node, const DEVPROPKEY *key, DEVPROPTYPE *kind, BYTE *out, ULONG *size, ULONG flags) {
  BYTE level = nodes[node].level;
  DEVPROP_BOOLEAN connected = nodes[node].connected ? DEVPROP_TRUE : DEVPROP_FALSE;
  if (flags) return INVALID_FLAG;
  if (is(key, &battery_level) && nodes[node].level >= 0) return give(kind, out, size, DEVPROP_TYPE_BYTE, &level, 1);
  if (is(key, &is_connected) && nodes[node].connected >= 0)
    return give(kind, out, size, DEVPROP_TYPE_BOOLEAN, &connected, sizeof connected);
  if (is(key, &class_of_device) && nodes[node].kind >= 0) return give(kind, out, size, DEVPROP_TYPE_UINT32, &nodes[node].kind, 4);
  if (is(key, &DEVPKEY_Device_FriendlyName))
    return give(kind, out, size, DEVPROP_TYPE_STRING, nodes[node].name, 2 * wcslen(nodes[node].name) + 2);
  if (is(key, &DEVPKEY_Device_Class))
    return give(kind, out, size, DEVPROP_TYPE_STRING, nodes[node].setup, 2 * wcslen(nodes[node].setup) + 2);
  if (is(key, &DEVPKEY_Device_PowerData) && nodes[node].wake >= 0) {
    CM_POWER_DATA power = {.PD_Size = sizeof power, .PD_MostRecentPowerState = PowerDeviceD0};
    power.PD_DeepestSystemWake = nodes[node].wake;
    return give(kind, out, size, DEVPROP_TYPE_BINARY, &power, sizeof power);
  }
  return NO_SUCH_VALUE;
}

typedef struct { BYTE type, level; } battery;

/* The second of four runs on rechargeable cells that are nearly empty, the first on a cable. */
__declspec(dllexport) DWORD WINAPI XInputGetBatteryInformation(DWORD place, BYTE kind, battery *out) {
  if (place > 1 || kind != 0) return ERROR_DEVICE_NOT_CONNECTED;
  out->type = place == 0 ? 1 : 3;
  out->level = place == 0 ? 3 : 1;
  return ERROR_SUCCESS;
}
