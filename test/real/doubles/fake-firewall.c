/*
 * A stand-in for the firewall of Windows, of which Wine has a part without rules: HNetCfg.FwPolicy2 and HNetCfg.FwRule with the tables of the
 * C headers. Rules are written to where Windows keeps them in the registry. The first character of the file firewall.txt beside this library says
 * what it does: d refuses as for a user who is not an administrator, 4 is connected to a public network, 0 is switched off.
 */
#define INITGUID
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <initguid.h>
#include <netfw.h>
#include <stdio.h>

static const wchar_t *key = L"SYSTEM\\CurrentControlSet\\Services\\SharedAccess\\Parameters\\FirewallPolicy\\FirewallRules";
/* Objects that were returned and not released. */
static int live;

static int mode(void) {
  FILE *f = fopen("C:\\standins\\firewall.txt", "r");
  int c = f ? fgetc(f) : 0;
  if (f) fclose(f);
  return c;
}
static void note(void) {
  FILE *f = fopen("C:\\standins\\firewall-live.txt", "w");
  if (!f) return;
  fprintf(f, "live %d\n", live);
  fclose(f);
}

typedef struct { const void *vt; } Object;
static HRESULT give(void *o, void *out) { live++; *(void **)out = o; return S_OK; }
static ULONG WINAPI add_ref(void *me) { live++; return 2; }
static ULONG WINAPI release(void *me) { live--; note(); return 1; }
static HRESULT WINAPI self(void *me, REFIID iid, void **out) { return give(me, out); }
#define UNKNOWN .QueryInterface = (void *)self, .AddRef = (void *)add_ref, .Release = (void *)release

/* INetFwRule: one at a time */
static wchar_t name[200], program[600];
static long direction, profiles, action, enabled;
static HRESULT WINAPI put_name(void *me, BSTR t) { wcsncpy(name, t, 199); return S_OK; }
static HRESULT WINAPI put_text(void *me, BSTR t) { return S_OK; }
static HRESULT WINAPI put_program(void *me, BSTR t) { wcsncpy(program, t, 599); return S_OK; }
static HRESULT WINAPI put_direction(void *me, NET_FW_RULE_DIRECTION v) { direction = v; return S_OK; }
static HRESULT WINAPI put_enabled(void *me, VARIANT_BOOL v) { enabled = v; return S_OK; }
static HRESULT WINAPI put_profiles(void *me, long v) { profiles = v; return S_OK; }
static HRESULT WINAPI put_action(void *me, NET_FW_ACTION v) { action = v; return S_OK; }
static INetFwRuleVtbl rule_vt = {UNKNOWN, .put_Name = (void *)put_name, .put_Description = (void *)put_text,
  .put_ApplicationName = (void *)put_program, .put_Direction = (void *)put_direction, .put_Enabled = (void *)put_enabled,
  .put_Profiles = (void *)put_profiles, .put_Action = (void *)put_action};
static Object rule = {&rule_vt};

/* INetFwRules */
static HRESULT WINAPI add(void *me, void *given) {
  wchar_t text[1200] = L"v2.31|Action=";
  HKEY k;
  if (mode() == 'd') return E_ACCESSDENIED;
  if (given != &rule || enabled != VARIANT_TRUE) return E_INVALIDARG;
  wcscat(text, action == NET_FW_ACTION_ALLOW ? L"Allow|Active=TRUE|Dir=" : L"Block|Active=TRUE|Dir=");
  wcscat(text, direction == NET_FW_RULE_DIR_IN ? L"In|" : L"Out|");
  if (profiles & NET_FW_PROFILE2_PRIVATE) wcscat(text, L"Profile=Private|");
  if (profiles & NET_FW_PROFILE2_PUBLIC) wcscat(text, L"Profile=Public|");
  wcscat(text, L"App="); wcscat(text, program);
  wcscat(text, L"|Name="); wcscat(text, name); wcscat(text, L"|");
  if (RegCreateKeyExW(HKEY_LOCAL_MACHINE, key, 0, 0, 0, KEY_WRITE, 0, &k, 0)) return E_FAIL;
  RegSetValueExW(k, L"{11111111-2222-3333-4444-555555555555}", 0, REG_SZ, (void *)text, 2 * (wcslen(text) + 1));
  RegCloseKey(k);
  return S_OK;
}
static HRESULT WINAPI removed(void *me, BSTR which) {
  HKEY k;
  if (mode() == 'd') return E_ACCESSDENIED;
  if (wcscmp(which, L"Hostler") || RegOpenKeyExW(HKEY_LOCAL_MACHINE, key, 0, KEY_WRITE, &k)) return HRESULT_FROM_WIN32(ERROR_FILE_NOT_FOUND);
  RegDeleteValueW(k, L"{11111111-2222-3333-4444-555555555555}");
  RegCloseKey(k);
  return S_OK;
}
static INetFwRulesVtbl rules_vt = {UNKNOWN, .Add = (void *)add, .Remove = (void *)removed};
static Object rules = {&rules_vt};

/* INetFwPolicy2 */
static HRESULT WINAPI current(void *me, long *v) { *v = mode() == '4' ? NET_FW_PROFILE2_PUBLIC : NET_FW_PROFILE2_PRIVATE; return S_OK; }
static HRESULT WINAPI is_on(void *me, NET_FW_PROFILE_TYPE2 p, VARIANT_BOOL *v) { *v = mode() == '0' ? VARIANT_FALSE : VARIANT_TRUE; return S_OK; }
static HRESULT WINAPI blocks(void *me, NET_FW_PROFILE_TYPE2 p, VARIANT_BOOL *v) { *v = VARIANT_FALSE; return S_OK; }
static HRESULT WINAPI usually(void *me, NET_FW_PROFILE_TYPE2 p, NET_FW_ACTION *v) { *v = NET_FW_ACTION_BLOCK; return S_OK; }
static HRESULT WINAPI get_rules(void *me, void **out) { return give(&rules, out); }
static INetFwPolicy2Vtbl policy_vt = {UNKNOWN, .get_CurrentProfileTypes = (void *)current, .get_FirewallEnabled = (void *)is_on,
  .get_BlockAllInboundTraffic = (void *)blocks, .get_DefaultInboundAction = (void *)usually, .get_Rules = (void *)get_rules};
static Object policy = {&policy_vt};

/* The classes */
static HRESULT WINAPI make(Object *me, IUnknown *outer, REFIID iid, void **out);
static HRESULT WINAPI lock(void *me, BOOL b) { return S_OK; }
static HRESULT WINAPI factory_self(void *me, REFIID iid, void **out) { *out = me; return S_OK; }
static ULONG WINAPI uncounted(void *me) { return 1; }
static IClassFactoryVtbl factory_vt = {(void *)factory_self, (void *)uncounted, (void *)uncounted, (void *)make, (void *)lock};
static Object policy_class = {&factory_vt}, rule_class = {&factory_vt};
static HRESULT WINAPI make(Object *me, IUnknown *outer, REFIID iid, void **out) { return give(me == &rule_class ? &rule : &policy, out); }

/* From the headers, where they are only declared. */
static const GUID rule_id = {0x2c5bc43e, 0x3369, 0x4c33, {0xab, 0x0c, 0xbe, 0x94, 0x69, 0x67, 0x7a, 0xf4}};
__declspec(dllexport) HRESULT WINAPI DllGetClassObject(REFCLSID id, REFIID iid, void **out) {
  *out = IsEqualGUID(id, &rule_id) ? &rule_class : &policy_class;
  return S_OK;
}
__declspec(dllexport) HRESULT WINAPI DllCanUnloadNow(void) { return S_FALSE; }
