/*
 * A stand-in for DirectX' list of adapters (dxgi.dll) and for the graphics kernel (D3DKMT in gdi32.dll), which Wine has without counts:
 * a GPU of AMD, one of NVIDIA and Microsoft's software. The kernel's functions belong to a library that is loaded long before this one, so
 * each is made to jump here. The tables and structures are those of the C headers; what no header has is declared as it is documented.
 */
#define INITGUID
#include <windows.h>
#include <winternl.h>
#include <initguid.h>
#include <dxgi.h>
#include <ddk/d3dkmthk.h>

enum { AMD, NVIDIA, SOFTWARE, ADAPTERS };
typedef struct { const void *vt; int number; } Object;

/* Objects that were given and not released: a leaked adapter is reported as a third GPU. */
static int live;
static ULONG WINAPI add_ref(void *me) { return ++live; }
static ULONG WINAPI release(void *me) { return --live; }

static HRESULT WINAPI describe(Object *me, DXGI_ADAPTER_DESC1 *d) {
  memset(d, 0, sizeof *d);
  d->AdapterLuid.LowPart = 0xd00d + me->number;
  d->AdapterLuid.HighPart = -1;
  switch (me->number) {
    case AMD:
      wcscpy(d->Description, L"AMD Radeon \x2122 Stand-in");
      d->VendorId = 0x1002, d->DeviceId = 0x73bf, d->DedicatedVideoMemory = 8ULL << 30, d->SharedSystemMemory = 16ULL << 30;
      break;
    case NVIDIA:
      wcscpy(d->Description, L"NVIDIA Stand-in of DirectX");
      d->VendorId = 0x10de, d->DeviceId = 0x2330, d->DedicatedVideoMemory = 4ULL << 30;
      break;
    case SOFTWARE:
      wcscpy(d->Description, live > 2 ? L"leaks" : L"Microsoft Basic Render Driver");
      d->VendorId = live > 2 ? 1 : 0x1414, d->DeviceId = 0x8c, d->Flags = live > 2 ? 0 : DXGI_ADAPTER_FLAG_SOFTWARE;
      break;
  }
  return S_OK;
}
static IDXGIAdapter1Vtbl adapter_vt = {.AddRef = (void *)add_ref, .Release = (void *)release, .GetDesc1 = (void *)describe};
static Object adapters[ADAPTERS] = {{&adapter_vt, AMD}, {&adapter_vt, NVIDIA}, {&adapter_vt, SOFTWARE}};

static HRESULT WINAPI enumerate(Object *me, UINT index, IDXGIAdapter1 **out) {
  *out = NULL;
  if (index >= ADAPTERS) return DXGI_ERROR_NOT_FOUND;
  /* One at a time is still held by the caller, and the factory. */
  live++;
  *out = (IDXGIAdapter1 *)&adapters[index];
  return S_OK;
}
static IDXGIFactory1Vtbl factory_vt = {.AddRef = (void *)add_ref, .Release = (void *)release, .EnumAdapters1 = (void *)enumerate};
static Object factory = {&factory_vt, 0};

__declspec(dllexport) HRESULT WINAPI CreateDXGIFactory1(REFIID iid, void **out) {
  if (!IsEqualIID(iid, &IID_IDXGIFactory1)) return E_NOINTERFACE;
  live = -1;
  *out = &factory;
  return S_OK;
}

/* The graphics kernel. */

typedef struct { UINT32 index; ULONGLONG memory, max, max_oc, bandwidth, pcie; ULONG fan, power, temperature; UCHAR state; } AdapterPerf;
typedef struct { UINT32 node, index; ULONGLONG clock, max, max_oc; ULONG voltage, max_voltage, max_voltage_oc; ULONGLONG latency; } NodePerf;

static int known(LUID luid) { return luid.HighPart == -1 && luid.LowPart - 0xd00d < 2 ? luid.LowPart - 0xd00d : -1; }

static NTSTATUS WINAPI statistics(D3DKMT_QUERYSTATISTICS *q) {
  int which = known(q->AdapterLuid);
  if (which < 0) return STATUS_INVALID_PARAMETER;
  D3DKMT_QUERYSTATISTICS_RESULT *r = &q->QueryResult;
  switch (q->Type) {
    case D3DKMT_QUERYSTATISTICS_ADAPTER:
      r->AdapterInformation.NbSegments = 3;
      r->AdapterInformation.NodeCount = 4;
      return 0;
    case D3DKMT_QUERYSTATISTICS_SEGMENT:
      if (q->QuerySegment.SegmentId >= 3) return STATUS_INVALID_PARAMETER;
      /* Two of its own, and a window into system memory. */
      r->SegmentInformation.Aperture = q->QuerySegment.SegmentId == 2;
      r->SegmentInformation.CommitLimit = 4ULL << 30;
      r->SegmentInformation.BytesCommitted = 77;
      r->SegmentInformation.BytesResident = (q->QuerySegment.SegmentId + 1) * (512ULL << 20);
      return 0;
    case D3DKMT_QUERYSTATISTICS_NODE: {
      if (q->QueryNode.NodeId >= 4) return STATUS_INVALID_PARAMETER;
      /* An eighth, a quarter, three eighths and half of the time. */
      LARGE_INTEGER count, each;
      QueryPerformanceCounter(&count);
      QueryPerformanceFrequency(&each);
      double seconds = (double)count.QuadPart / each.QuadPart;
      r->NodeInformation.GlobalInformation.RunningTime.QuadPart = seconds * 1e7 * (q->QueryNode.NodeId + 1) / 8;
      return 0;
    }
  }
  return STATUS_INVALID_PARAMETER;
}

static int handles;
static NTSTATUS WINAPI open_adapter(D3DKMT_OPENADAPTERFROMLUID *o) {
  int which = known(o->AdapterLuid);
  if (which < 0 || handles > 0) return STATUS_INVALID_PARAMETER;
  handles++;
  o->hAdapter = 0x40000000 + which;
  return 0;
}
static NTSTATUS WINAPI close_adapter(const D3DKMT_CLOSEADAPTER *c) {
  handles--;
  return 0;
}
static NTSTATUS WINAPI info(D3DKMT_QUERYADAPTERINFO *q) {
  int which = q->hAdapter - 0x40000000;
  if (which != AMD && which != NVIDIA) return STATUS_INVALID_PARAMETER;
  if (q->Type == KMTQAITYPE_ADAPTERADDRESS && q->PrivateDriverDataSize == 12) {
    UINT *address = q->pPrivateDriverData;
    address[0] = which == AMD ? 3 : 0xa0, address[1] = 0, address[2] = 0;
    return 0;
  }
  if (q->Type == KMTQAITYPE_ADAPTERPERFDATA && q->PrivateDriverDataSize == sizeof(AdapterPerf)) {
    AdapterPerf *p = q->pPrivateDriverData;
    p->memory = 2000000000, p->fan = 1500, p->power = 423, p->temperature = 615;
    return 0;
  }
  if (q->Type == KMTQAITYPE_NODEPERFDATA && q->PrivateDriverDataSize == sizeof(NodePerf)) {
    NodePerf *p = q->pPrivateDriverData;
    if (p->node != 0) return STATUS_INVALID_PARAMETER;
    p->clock = 2105000000;
    return 0;
  }
  return STATUS_INVALID_PARAMETER;
}

static void lead(HMODULE from, const char *name, void *to) {
#ifdef __aarch64__
  /* ldr x16, to; br x16; to */
  unsigned char code[16] = {0x50, 0, 0, 0x58, 0, 0x02, 0x1f, 0xd6};
  const int place = 8;
#else
  /* mov rax, to; jmp rax */
  unsigned char code[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
  const int place = 2;
#endif
  unsigned char *at = (void *)GetProcAddress(from, name);
  DWORD before;
  memcpy(code + place, &to, 8);
  VirtualProtect(at, sizeof code, PAGE_EXECUTE_READWRITE, &before);
  memcpy(at, code, sizeof code);
  VirtualProtect(at, sizeof code, before, &before);
  FlushInstructionCache(GetCurrentProcess(), at, sizeof code);
}

BOOL WINAPI DllMain(HINSTANCE me, DWORD reason, void *reserved) {
  if (reason != DLL_PROCESS_ATTACH) return TRUE;
  HMODULE gdi = LoadLibraryA("gdi32.dll");
  lead(gdi, "D3DKMTQueryStatistics", statistics);
  lead(gdi, "D3DKMTOpenAdapterFromLuid", open_adapter);
  lead(gdi, "D3DKMTCloseAdapter", close_adapter);
  lead(gdi, "D3DKMTQueryAdapterInfo", info);
  return TRUE;
}
