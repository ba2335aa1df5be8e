/*
 * A stand-in for Windows.UI.Notifications, which Wine lacks; the tables are those of Wine's own headers. What is shown is written to
 * toast.xml beside this library, its tag to tag.txt. At most one toast is in the Action Center; writing "dismiss" into press.txt removes
 * it, as "RemoveGroupedTagWithId" does, which writes hidden.txt.
 */
#define INITGUID
#include <windows.h>
#include <winstring.h>
#include <stdio.h>

typedef struct { const void *vt; } Object;
static HRESULT WINAPI qi(void *me, const GUID *iid, void **out) { *out = me; return S_OK; }
static ULONG WINAPI ref(void *me) { return 2; }
static HRESULT WINAPI none(void) { return E_NOTIMPL; }
#define INSPECTABLE qi, ref, ref, none, none, none

static void write_text(const char *file, HSTRING text) {
  char bytes[16384];
  FILE *f = fopen(file, "wb");
  if (!f) return;
  WideCharToMultiByte(CP_UTF8, 0, WindowsGetStringRawBuffer(text, 0), -1, bytes, sizeof bytes, 0, 0);
  fputs(bytes, f);
  fclose(f);
}

/* XmlDocument. Its content is written when it is shown: a press before that does nothing. */
static HSTRING loaded;
static HRESULT WINAPI load_xml(void *me, HSTRING xml) { WindowsDeleteString(loaded); return WindowsDuplicateString(xml, &loaded); }
static void *xml_vt[] = {INSPECTABLE, load_xml}; static Object xml = {xml_vt};

/* ToastNotification */
static HSTRING tag, group;
static int present;
static HRESULT WINAPI put_tag(void *me, HSTRING text) { write_text("C:\\standins\\tag.txt", text); WindowsDeleteString(tag); return WindowsDuplicateString(text, &tag); }
static HRESULT WINAPI get_tag(void *me, HSTRING *text) { return WindowsDuplicateString(tag, text); }
static HRESULT WINAPI put_group(void *me, HSTRING text) { WindowsDeleteString(group); return WindowsDuplicateString(text, &group); }
static void *toast2_vt[] = {INSPECTABLE, put_tag, get_tag, put_group}; static Object toast2 = {toast2_vt};
static HRESULT WINAPI toast_qi(void *me, const GUID *iid, void **out) { *out = iid->Data1 == 0x9dfb9fd1 ? (void *)&toast2 : me; return S_OK; }
static void *toast_vt[] = {toast_qi, ref, ref, none, none, none, none}; static Object toast = {toast_vt};
static HRESULT WINAPI create(void *me, void *document, void **out) { *out = &toast; return S_OK; }
static void *factory_vt[] = {INSPECTABLE, create}; static Object factory = {factory_vt};

/* The Action Center. When it is read with a toast in it, seen.txt is written. */
static HRESULT WINAPI get_at(void *me, unsigned index, void **out) { *out = &toast; return S_OK; }
static HRESULT WINAPI get_size(void *me, unsigned *size) {
  char line[20] = "";
  FILE *f = fopen("C:\\standins\\press.txt", "r");
  if (f) { fgets(line, 20, f); fclose(f); }
  if (!strncmp(line, "dismiss", 7)) { present = 0; f = fopen("C:\\standins\\press.txt", "w"); if (f) fclose(f); }
  if (present) { f = fopen("C:\\standins\\seen.txt", "w"); if (f) fclose(f); }
  *size = present;
  return S_OK;
}
static void *view_vt[] = {INSPECTABLE, get_at, get_size}; static Object view = {view_vt};
static int is_ours(HSTRING id) { return !wcscmp(WindowsGetStringRawBuffer(id, 0), L"Hostler.Hostler"); }
static HRESULT WINAPI history_of(void *me, HSTRING id, void **out) { *out = &view; return is_ours(id) ? S_OK : 0x80070490; }
static HRESULT WINAPI remove_one(void *me, HSTRING t, HSTRING g, HSTRING id) {
  FILE *f;
  if (!is_ours(id) || wcscmp(WindowsGetStringRawBuffer(g, 0), WindowsGetStringRawBuffer(group, 0))) return E_INVALIDARG;
  if (wcscmp(WindowsGetStringRawBuffer(t, 0), WindowsGetStringRawBuffer(tag, 0))) return 0x80070490;
  present = 0;
  f = fopen("C:\\standins\\hidden.txt", "w"); if (f) fclose(f);
  return S_OK;
}
static void *history2_vt[] = {INSPECTABLE, none, history_of}; static Object history2 = {history2_vt};
static HRESULT WINAPI history_qi(void *me, const GUID *iid, void **out) { *out = &history2; return iid->Data1 == 0x3bc3d253 ? S_OK : E_NOINTERFACE; }
static void *history_vt[] = {history_qi, ref, ref, none, none, none, none, none, remove_one}; static Object history = {history_vt};

/* The manager */
static HRESULT WINAPI show(void *me, void *t) { write_text("C:\\standins\\toast.xml", loaded); present = 1; return S_OK; }
static HRESULT WINAPI setting(void *me, int *s) { *s = 0; return S_OK; }
static void *notifier_vt[] = {INSPECTABLE, show, none, setting}; static Object notifier = {notifier_vt};
static HRESULT WINAPI with_id(void *me, HSTRING id, void **out) { *out = &notifier; return is_ours(id) ? S_OK : 0x80070490; }
static HRESULT WINAPI manager_qi(void *me, const GUID *iid, void **out);
static void *manager_vt[] = {manager_qi, ref, ref, none, none, none, none, with_id}; static Object manager = {manager_vt};
static HRESULT WINAPI get_history(void *me, void **out) { *out = &history; return S_OK; }
static void *manager2_vt[] = {INSPECTABLE, get_history}; static Object manager2 = {manager2_vt};
static HRESULT WINAPI manager_qi(void *me, const GUID *iid, void **out) { *out = iid->Data1 == 0x7ab93c52 ? &manager2 : &manager; return S_OK; }
/* XmlDocument is made by the factory itself */
static HRESULT WINAPI activate(void *me, void **out) { *out = &xml; return S_OK; }
static void *activation_vt[] = {INSPECTABLE, activate}; static Object activation = {activation_vt};
__declspec(dllexport) HRESULT WINAPI DllGetActivationFactory(HSTRING cls, void **out) {
  const wchar_t *name = WindowsGetStringRawBuffer(cls, 0);
  *out = wcsstr(name, L"XmlDocument") ? (void *)&activation : wcsstr(name, L"Manager") ? (void *)&manager : (void *)&factory;
  return S_OK;
}
__declspec(dllexport) HRESULT WINAPI DllCanUnloadNow(void) { return S_FALSE; }
