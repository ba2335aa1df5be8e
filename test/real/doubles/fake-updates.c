/*
 * A stand-in for Windows Update, of which Wine has the class and no search. The tables are those of the C headers. Three updates, one of them about
 * security; what was asked is written to the file updates.txt beside this library. Where there is a file fails.txt the search ends with 4.
 */
#define INITGUID
#define COBJMACROS
#include <windows.h>
#include <initguid.h>
#include <wuapi.h>
#include <stdio.h>

static const wchar_t *titles[] = {L"Update for \x00e9 (KB1)", L"Security Update (KB2)", L"Driver"};
static const wchar_t *severities[] = {0, L"Critical", 0};
static int live, searches, online = 1;
static int fails(void) { FILE *f = fopen("C:\\standins\\fails.txt", "r"); if (f) fclose(f); return f != 0; }
static void note(const wchar_t *criteria) {
  FILE *f = fopen("C:\\standins\\updates.txt", "w");
  if (f) { fprintf(f, "searches %d online %d live %d %ls\n", searches, online, live, criteria); fclose(f); }
}

typedef struct { const void *vt; int entry; } Object;
static HRESULT give(Object *o, void *out) { live++; *(void **)out = o; return S_OK; }
static ULONG WINAPI add_ref(void *me) { live++; return 2; }
static ULONG WINAPI release(void *me) { live--; return 1; }
static HRESULT WINAPI self(void *me, REFIID iid, void **out) { return give(me, out); }
#define UNKNOWN .QueryInterface = (void *)self, .AddRef = (void *)add_ref, .Release = (void *)release

static HRESULT WINAPI get_title(Object *me, BSTR *out) { *out = SysAllocString(titles[me->entry]); return S_OK; }
static HRESULT WINAPI get_severity(Object *me, BSTR *out) {
  *out = severities[me->entry] ? SysAllocString(severities[me->entry]) : 0;
  return S_OK;
}
static IUpdateVtbl update_vt = {UNKNOWN, .get_Title = (void *)get_title, .get_MsrcSeverity = (void *)get_severity};
static Object updates[] = {{&update_vt, 0}, {&update_vt, 1}, {&update_vt, 2}};

static HRESULT WINAPI get_item(void *me, LONG index, IUpdate **out) { return give(&updates[index], out); }
static HRESULT WINAPI get_count(void *me, LONG *out) { *out = 3; return S_OK; }
static IUpdateCollectionVtbl list_vt = {UNKNOWN, .get_Item = (void *)get_item, .get_Count = (void *)get_count};
static Object list = {&list_vt};

static HRESULT WINAPI get_code(void *me, OperationResultCode *out) { *out = fails() ? 4 : 2; return S_OK; }
static HRESULT WINAPI get_updates(void *me, IUpdateCollection **out) { return give(&list, out); }
static ISearchResultVtbl result_vt = {UNKNOWN, .get_ResultCode = (void *)get_code, .get_Updates = (void *)get_updates};
static Object result = {&result_vt};

static HRESULT WINAPI search(void *me, BSTR criteria, ISearchResult **out) {
  searches++;
  note(criteria);
  return give(&result, out);
}
static HRESULT WINAPI put_online(void *me, VARIANT_BOOL value) { online = value; return S_OK; }
static IUpdateSearcherVtbl searcher_vt = {UNKNOWN, .Search = (void *)search, .put_Online = (void *)put_online};
static Object searcher = {&searcher_vt};

static HRESULT WINAPI create_searcher(void *me, IUpdateSearcher **out) { return give(&searcher, out); }
static IUpdateSessionVtbl session_vt = {UNKNOWN, .CreateUpdateSearcher = (void *)create_searcher};
static Object session = {&session_vt};

static HRESULT WINAPI create(void *me, IUnknown *outer, REFIID iid, void **out) { return give(&session, out); }
static HRESULT WINAPI lock(void *me, BOOL locked) { return S_OK; }
static IClassFactoryVtbl factory_vt = {UNKNOWN, .CreateInstance = (void *)create, .LockServer = (void *)lock};
static Object factory = {&factory_vt};
STDAPI DllGetClassObject(REFCLSID cls, REFIID iid, void **out) { live++; *out = &factory; return S_OK; }
STDAPI DllCanUnloadNow(void) { return S_FALSE; }
