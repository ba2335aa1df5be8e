/*
 * A stand-in for Core Audio, which Wine has without volumes: two outputs and a microphone, one of the outputs used by a program. The
 * tables are those of the C headers. What is set is written to the file audio.txt beside this library; changes of that file are announced.
 */
#define INITGUID
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <initguid.h>
#include <mmdeviceapi.h>
#include <endpointvolume.h>
#include <audiopolicy.h>
#include <stdio.h>

static const char *state_file = "C:\\standins\\audio.txt";
/* The devices, then the program. */
enum { DEVICES = 3, SESSION = 3, ENTRIES = 4 };
static const wchar_t *ids[] = {L"{speakers}", L"{headphones}", L"{microphone}"};
static const wchar_t *names[] = {L"Speakers (Stand-in)", L"Headphones \x00e9 (Stand-in)", L"Microphone (Stand-in)"};
static float volumes[ENTRIES] = {0.35f, 1.0f, 0.8f, 0.5f};
static int mutes[ENTRIES];
static int chosen[2] = {0, 2};
/* Objects that were returned and not released. */
static int live;

static void load(void) {
  FILE *f = fopen(state_file, "r");
  if (!f) return;
  for (int i = 0; i < ENTRIES; i++) if (fscanf(f, "%f %d", &volumes[i], &mutes[i]) != 2) break;
  fscanf(f, "%d", &chosen[0]);
  fclose(f);
}
static void save(void) {
  FILE *f = fopen(state_file, "w");
  if (!f) return;
  for (int i = 0; i < ENTRIES; i++) fprintf(f, "%.4f %d\n", volumes[i], mutes[i]);
  fprintf(f, "%d\nlive %d\n", chosen[0], live);
  fclose(f);
}
static HRESULT text(const wchar_t *t, LPWSTR *out) {
  *out = CoTaskMemAlloc(2 * (wcslen(t) + 1));
  wcscpy(*out, t);
  return S_OK;
}

typedef struct { const void *vt; int entry; } Object;
static HRESULT give(Object *o, void *out) { live++; *(void **)out = o; return S_OK; }
static ULONG WINAPI add_ref(void *me) { live++; return 2; }
static ULONG WINAPI release(void *me) { live--; return 1; }
static HRESULT WINAPI self(void *me, REFIID iid, void **out) { return give(me, out); }
#define UNKNOWN .QueryInterface = (void *)self, .AddRef = (void *)add_ref, .Release = (void *)release

/* IAudioEndpointVolume */
static HRESULT WINAPI set_volume(Object *me, float v, LPCGUID c) { load(); volumes[me->entry] = v; save(); return S_OK; }
static HRESULT WINAPI get_volume(Object *me, float *v) { load(); *v = volumes[me->entry]; return S_OK; }
static HRESULT WINAPI set_mute(Object *me, BOOL m, LPCGUID c) { load(); mutes[me->entry] = m; save(); return S_OK; }
static HRESULT WINAPI get_mute(Object *me, BOOL *m) { load(); *m = mutes[me->entry]; return S_OK; }
static IAudioEndpointVolumeVtbl volume_vt = {UNKNOWN, .SetMasterVolumeLevelScalar = (void *)set_volume,
  .GetMasterVolumeLevelScalar = (void *)get_volume, .SetMute = (void *)set_mute, .GetMute = (void *)get_mute};
static Object volume_of[DEVICES] = {{&volume_vt, 0}, {&volume_vt, 1}, {&volume_vt, 2}};

/* The program: ISimpleAudioVolume and IAudioSessionControl2 */
static ISimpleAudioVolumeVtbl simple_vt = {UNKNOWN, .SetMasterVolume = (void *)set_volume, .GetMasterVolume = (void *)get_volume,
  .SetMute = (void *)set_mute, .GetMute = (void *)get_mute};
static Object simple = {&simple_vt, SESSION};
static HRESULT WINAPI control_qi(Object *me, REFIID iid, void **out) {
  return give(IsEqualGUID(iid, &IID_ISimpleAudioVolume) ? &simple : me, out);
}
static HRESULT WINAPI state(Object *me, AudioSessionState *s) { *s = AudioSessionStateActive; return S_OK; }
static HRESULT WINAPI display(Object *me, LPWSTR *t) { return text(L"A film", t); }
static HRESULT WINAPI instance(Object *me, LPWSTR *t) { return text(L"{speakers}|player.exe%b{1}", t); }
static HRESULT WINAPI process(Object *me, DWORD *p) { *p = GetCurrentProcessId(); return S_OK; }
static HRESULT WINAPI system_sounds(Object *me) { return S_FALSE; }
static IAudioSessionControl2Vtbl control_vt = {.QueryInterface = (void *)control_qi, .AddRef = (void *)add_ref,
  .Release = (void *)release, .GetState = (void *)state, .GetDisplayName = (void *)display,
  .GetSessionInstanceIdentifier = (void *)instance, .GetProcessId = (void *)process, .IsSystemSoundsSession = (void *)system_sounds};
static Object control = {&control_vt};
static HRESULT WINAPI session_count(Object *me, int *n) { *n = me->entry == 0; return S_OK; }
static HRESULT WINAPI session_at(Object *me, int i, void **out) { return give(&control, out); }
static IAudioSessionEnumeratorVtbl sessions_vt = {UNKNOWN, .GetCount = (void *)session_count, .GetSession = (void *)session_at};
static Object sessions_of[DEVICES] = {{&sessions_vt, 0}, {&sessions_vt, 1}, {&sessions_vt, 2}};
static HRESULT WINAPI sessions(Object *me, void **out) { return give(&sessions_of[me->entry], out); }
static IAudioSessionManager2Vtbl manager_vt = {UNKNOWN, .GetSessionEnumerator = (void *)sessions};
static Object manager_of[DEVICES] = {{&manager_vt, 0}, {&manager_vt, 1}, {&manager_vt, 2}};

/* IMMDevice */
static HRESULT WINAPI value(Object *me, REFPROPERTYKEY key, PROPVARIANT *v) {
  if (key->pid != 14) return E_INVALIDARG;
  v->vt = VT_LPWSTR;
  return text(names[me->entry], &v->pwszVal);
}
static IPropertyStoreVtbl store_vt = {UNKNOWN, .GetValue = (void *)value};
static Object store_of[DEVICES] = {{&store_vt, 0}, {&store_vt, 1}, {&store_vt, 2}};
static HRESULT WINAPI activate(Object *me, REFIID iid, DWORD c, PROPVARIANT *p, void **out) {
  if (IsEqualGUID(iid, &IID_IAudioEndpointVolume)) return give(&volume_of[me->entry], out);
  if (IsEqualGUID(iid, &IID_IAudioSessionManager2)) return give(&manager_of[me->entry], out);
  return E_NOINTERFACE;
}
static HRESULT WINAPI store(Object *me, DWORD access, void **out) { return give(&store_of[me->entry], out); }
static HRESULT WINAPI id(Object *me, LPWSTR *t) { return text(ids[me->entry], t); }
static IMMDeviceVtbl device_vt = {UNKNOWN, .Activate = (void *)activate, .OpenPropertyStore = (void *)store, .GetId = (void *)id};
static Object device_at[DEVICES] = {{&device_vt, 0}, {&device_vt, 1}, {&device_vt, 2}};

/* IMMDeviceCollection: entry is the flow */
static HRESULT WINAPI count(Object *me, UINT *n) { *n = me->entry == 0 ? 2 : 1; return S_OK; }
static HRESULT WINAPI item(Object *me, UINT i, void **out) { return give(&device_at[me->entry == 0 ? i : 2], out); }
static IMMDeviceCollectionVtbl collection_vt = {UNKNOWN, .GetCount = (void *)count, .Item = (void *)item};
static Object collections[2] = {{&collection_vt, 0}, {&collection_vt, 1}};

/* IMMDeviceEnumerator */
static HRESULT WINAPI endpoints(Object *me, EDataFlow flow, DWORD mask, void **out) { return give(&collections[flow], out); }
static HRESULT WINAPI by_default(Object *me, EDataFlow flow, ERole role, void **out) { load(); return give(&device_at[chosen[flow]], out); }
static HRESULT WINAPI by_id(Object *me, LPCWSTR wanted, void **out) {
  for (int i = 0; i < DEVICES; i++) if (!wcscmp(ids[i], wanted)) return give(&device_at[i], out);
  return E_INVALIDARG;
}
static IMMDeviceEnumeratorVtbl enumerator_vt = {UNKNOWN, .EnumAudioEndpoints = (void *)endpoints,
  .GetDefaultAudioEndpoint = (void *)by_default, .GetDevice = (void *)by_id};
static Object enumerator = {&enumerator_vt};

/* IPolicyConfig, which has no header, in the order that other programs use */
static HRESULT WINAPI set_default(Object *me, LPCWSTR wanted, ERole role) {
  load();
  for (int i = 0; i < DEVICES; i++) if (!wcscmp(ids[i], wanted)) chosen[i == 2] = i;
  save();
  return S_OK;
}
static void *policy_vt[] = {self, add_ref, release, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, set_default};
static Object policy = {policy_vt};

/* The factory: entry selects the class */
static HRESULT WINAPI create(Object *me, IUnknown *outer, REFIID iid, void **out) { return give(me->entry ? &policy : &enumerator, out); }
static HRESULT WINAPI lock(Object *me, BOOL on) { return S_OK; }
static IClassFactoryVtbl factory_vt = {UNKNOWN, .CreateInstance = (void *)create, .LockServer = (void *)lock};
static Object factories[2] = {{&factory_vt, 0}, {&factory_vt, 1}};
STDAPI DllGetClassObject(REFCLSID cls, REFIID iid, void **out) {
  live++;
  *out = &factories[IsEqualGUID(cls, &CLSID_MMDeviceEnumerator) ? 0 : 1];
  return S_OK;
}
STDAPI DllCanUnloadNow(void) { return S_FALSE; }
