/*
 * A stand-in for the Task Scheduler, of which Wine stores only a part of each task; the methods have the numbers of the headers. It has at
 * most one task: its definition is in task.xml beside this library, its name in task.txt. result.txt has the code of its last run.
 */
#define INITGUID
#include <windows.h>
#include <oleauto.h>
#include <stdio.h>
#include <stdlib.h>

#define PLACE L"C:\\standins\\"
#define NOT_FOUND 0x80070002
typedef struct { const void *vt; } Object;
static HRESULT WINAPI qi(void *me, const GUID *iid, void **out) { *out = me; return S_OK; }
static ULONG WINAPI ref(void *me) { return 2; }
static HRESULT WINAPI none(void) { return E_NOTIMPL; }
#define DISPATCH qi, ref, ref, none, none, none, none

static BOOL read_text(const wchar_t *file, wchar_t *text, int most) {
  static char bytes[65536];
  FILE *f = _wfopen(file, L"rb");
  if (!f) return FALSE;
  bytes[fread(bytes, 1, sizeof bytes - 1, f)] = 0;
  fclose(f);
  MultiByteToWideChar(CP_UTF8, 0, bytes, -1, text, most);
  return TRUE;
}
static void write_text(const wchar_t *file, const wchar_t *text) {
  static char bytes[65536];
  FILE *f = _wfopen(file, L"wb");
  if (!f) return;
  WideCharToMultiByte(CP_UTF8, 0, text, -1, bytes, sizeof bytes, 0, 0);
  fputs(bytes, f);
  fclose(f);
}
static BOOL has_task(BSTR name) {
  wchar_t known[300];
  return read_text(PLACE L"task.txt", known, 300) && !wcscmp(known, name);
}
static wchar_t xml[32768];
static void between(const wchar_t *begin, const wchar_t *end, wchar_t *out) {
  const wchar_t *from = wcsstr(xml, begin), *to = from ? wcsstr(from, end) : 0;
  out[0] = 0;
  if (!to) return;
  from += wcslen(begin);
  memcpy(out, from, (to - from) * sizeof *out);
  out[to - from] = 0;
}

/* IRegisteredTask */
static HRESULT WINAPI get_enabled(void *me, VARIANT_BOOL *value) { *value = VARIANT_TRUE; return S_OK; }
static HRESULT WINAPI get_result(void *me, LONG *value) {
  wchar_t text[20];
  *value = read_text(PLACE L"result.txt", text, 20) ? _wtoi(text) : 0x41303;
  return S_OK;
}
static HRESULT WINAPI get_xml(void *me, BSTR *value) {
  if (!read_text(PLACE L"task.xml", xml, 32768)) return NOT_FOUND;
  *value = SysAllocString(xml);
  return S_OK;
}
static HRESULT WINAPI run(void *me, VARIANT params, void **out) {
  static wchar_t program[1000], args[1000], line[2100];
  STARTUPINFOW start = {sizeof start};
  PROCESS_INFORMATION made;
  if (V_VT(&params) != VT_EMPTY || !read_text(PLACE L"task.xml", xml, 32768)) return E_INVALIDARG;
  between(L"<Command>", L"</Command>", program);
  between(L"<Arguments>", L"</Arguments>", args);
  swprintf(line, 2100, L"\"%ls\" %ls", program, args);
  if (!CreateProcessW(program, line, 0, 0, FALSE, DETACHED_PROCESS, 0, 0, &start, &made)) return E_FAIL;
  *out = me;
  return S_OK;
}
static void *task_vt[] = {DISPATCH, none, none, none, get_enabled, none, run, none, none, none, get_result, none, none, none, get_xml};
static Object task = {task_vt};

/* ITaskFolder */
static HRESULT WINAPI get_task(void *me, BSTR name, void **out) { *out = &task; return has_task(name) ? S_OK : NOT_FOUND; }
static HRESULT WINAPI delete_task(void *me, BSTR name, LONG flags) {
  if (!has_task(name)) return NOT_FOUND;
  DeleteFileW(PLACE L"task.txt");
  DeleteFileW(PLACE L"task.xml");
  return S_OK;
}
static HRESULT WINAPI register_task(void *me, BSTR name, BSTR text, LONG flags, VARIANT user, VARIANT password, int logon, VARIANT sddl, void **out) {
  if (V_VT(&user) != VT_EMPTY || V_VT(&password) != VT_EMPTY || V_VT(&sddl) != VT_EMPTY) return E_INVALIDARG;
  if (flags != 6 || logon != 3) return E_INVALIDARG;
  write_text(PLACE L"task.txt", name);
  write_text(PLACE L"task.xml", text);
  *out = &task;
  return S_OK;
}
static void *folder_vt[] = {DISPATCH, none, none, none, none, none, none, get_task, none, delete_task, register_task};
static Object folder = {folder_vt};

/* ITaskService */
static HRESULT WINAPI get_folder(void *me, BSTR path, void **out) { *out = &folder; return wcscmp(path, L"\\") ? NOT_FOUND : S_OK; }
static HRESULT WINAPI connect_to(void *me, VARIANT server, VARIANT user, VARIANT domain, VARIANT password) {
  return V_VT(&server) | V_VT(&user) | V_VT(&domain) | V_VT(&password) ? E_INVALIDARG : S_OK;
}
static void *service_vt[] = {DISPATCH, get_folder, none, none, connect_to};
static Object service = {service_vt};

static HRESULT WINAPI create(void *me, void *outer, const GUID *iid, void **out) { *out = &service; return S_OK; }
static HRESULT WINAPI lock(void *me, BOOL on) { return S_OK; }
static void *factory_vt[] = {qi, ref, ref, create, lock};
static Object factory = {factory_vt};
__declspec(dllexport) HRESULT WINAPI DllGetClassObject(const GUID *cls, const GUID *iid, void **out) { *out = &factory; return S_OK; }
__declspec(dllexport) HRESULT WINAPI DllCanUnloadNow(void) { return S_FALSE; }
