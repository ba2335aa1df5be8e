/*
 * A stand-in for Windows.UI.Notifications, which Wine lacks; the tables are those of Wine's own headers. What is shown is written to
 * toast.xml beside this library. Writing arguments into press.txt presses that button: the event comes on a thread of the stand-in, as
 * on Windows, and its object is gone afterwards unless it was referenced.
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

/* The object of a press: reference counted, and poisoned when it is released */
typedef struct { void **vt; LONG count; wchar_t text[200]; } Args;
static HRESULT WINAPI args_qi(Args *me, const GUID *iid, void **out) { InterlockedIncrement(&me->count); *out = me; return S_OK; }
static ULONG WINAPI args_ref(Args *me) { return InterlockedIncrement(&me->count); }
static ULONG WINAPI args_release(Args *me) { LONG left = InterlockedDecrement(&me->count); if (left == 0) memset(me, 0xdd, sizeof *me); return left; }
static HRESULT WINAPI args_text(Args *me, HSTRING *s) { return WindowsCreateString(me->text, wcslen(me->text), s); }
static void *args_vt[] = {args_qi, args_ref, args_release, none, none, none, args_text};

/* ToastNotification */
typedef struct { void **vt; } Handler;
typedef HRESULT(WINAPI *Invoke)(void *, void *, void *);
typedef HRESULT(WINAPI *Query)(void *, const GUID *, void **);
static Handler *activated, *dismissed;
static const GUID agile = {0x94ea2b94, 0xe9cc, 0x49e0, {0xc0, 0xff, 0xee, 0x64, 0xca, 0x8f, 0x5b, 0x90}};
static const GUID marshal = {3, 0, 0, {0xc0, 0, 0, 0, 0, 0, 0, 0x46}};
static HRESULT add(Handler **kept, Handler *h, LONG64 *token) {
  void *out = 0;
  /* Windows first queries whether it is agile, and how it is marshalled. */
  if (((Query)h->vt[0])(h, &agile, &out) != S_OK || out != h) return E_FAIL;
  if (((Query)h->vt[0])(h, &marshal, &out) != E_NOINTERFACE || out) return E_FAIL;
  *kept = h; *token = 7;
  return S_OK;
}
static HRESULT WINAPI add_dismissed(void *me, Handler *h, LONG64 *t) { return add(&dismissed, h, t); }
static HRESULT WINAPI add_activated(void *me, Handler *h, LONG64 *t) { return add(&activated, h, t); }
static HRESULT WINAPI add_failed(void *me, Handler *h, LONG64 *t) { Handler *f; return add(&f, h, t); }
static HRESULT WINAPI removed(void *me, LONG64 t) { return t == 7 ? S_OK : E_INVALIDARG; }
static HRESULT WINAPI put_tag(void *me, HSTRING tag) { write_text("C:\\standins\\tag.txt", tag); return S_OK; }
static void *toast2_vt[] = {INSPECTABLE, put_tag}; static Object toast2 = {toast2_vt};
static HRESULT WINAPI toast_qi(void *me, const GUID *iid, void **out) { *out = iid->Data1 == 0x9dfb9fd1 ? (void *)&toast2 : me; return S_OK; }
static void *toast_vt[] = {toast_qi, ref, ref, none, none, none, none, none, none, add_dismissed, removed, add_activated, removed, add_failed, removed};
static Object toast = {toast_vt};
static HRESULT WINAPI create(void *me, void *document, void **out) { *out = &toast; return S_OK; }
static void *factory_vt[] = {INSPECTABLE, create}; static Object factory = {factory_vt};

static DWORD WINAPI presser(void *unused) {
  for (;;) {
    char line[200] = "";
    FILE *f = fopen("C:\\standins\\press.txt", "r");
    if (f) { fgets(line, 200, f); fclose(f); }
    line[strcspn(line, "\r\n")] = 0;
    if (line[0]) {
      Handler *a = activated, *d = dismissed;
      activated = dismissed = 0;
      f = fopen("C:\\standins\\press.txt", "w"); if (f) fclose(f);
      if (!strcmp(line, "dismiss")) { if (d) ((Invoke)d->vt[3])(d, &toast, 0); }
      else if (a) {
        Args *args = calloc(1, sizeof *args);
        args->vt = args_vt; args->count = 1; MultiByteToWideChar(CP_UTF8, 0, line, -1, args->text, 200);
        ((Invoke)a->vt[3])(a, &toast, args);
        args_release(args);
      }
    }
    Sleep(100);
  }
}

/* The manager */
static HRESULT WINAPI show(void *me, void *t) { static HANDLE thread; write_text("C:\\standins\\toast.xml", loaded); if (!thread) thread = CreateThread(0, 0, presser, 0, 0, 0); return S_OK; }
static HRESULT WINAPI hide(void *me, void *t) { FILE *f = fopen("C:\\standins\\hidden.txt", "w"); if (f) fclose(f); return S_OK; }
static HRESULT WINAPI setting(void *me, int *s) { *s = 0; return S_OK; }
static void *notifier_vt[] = {INSPECTABLE, show, hide, setting}; static Object notifier = {notifier_vt};
static HRESULT WINAPI with_id(void *me, HSTRING id, void **out) {
  if (wcscmp(WindowsGetStringRawBuffer(id, 0), L"Hostler.Hostler")) return 0x80070490;
  *out = &notifier;
  return S_OK;
}
static void *manager_vt[] = {INSPECTABLE, none, with_id}; static Object manager = {manager_vt};

/* XmlDocument is made by the factory itself */
static HRESULT WINAPI activate(void *me, void **out) { *out = &xml; return S_OK; }
static void *activation_vt[] = {INSPECTABLE, activate}; static Object activation = {activation_vt};
__declspec(dllexport) HRESULT WINAPI DllGetActivationFactory(HSTRING cls, void **out) {
  const wchar_t *name = WindowsGetStringRawBuffer(cls, 0);
  *out = wcsstr(name, L"XmlDocument") ? (void *)&activation : wcsstr(name, L"Manager") ? (void *)&manager : (void *)&factory;
  return S_OK;
}
__declspec(dllexport) HRESULT WINAPI DllCanUnloadNow(void) { return S_FALSE; }
