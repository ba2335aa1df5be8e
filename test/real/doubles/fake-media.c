/*
 * A stand-in for Windows.Media.Control, which Wine lacks: two programs, one of which plays a title with a picture. The order of the
 * tables is that of the Windows metadata. It proves that our calls match that order, not what Windows does. Commands are written to
 * orders.txt beside this library; the title can be changed by writing title.txt.
 */
#define INITGUID
#include <windows.h>
#include <winstring.h>
#include <inspectable.h>
#include <asyncinfo.h>
#include <robuffer.h>
#include <stdio.h>

typedef struct { void **vt; int entry; } Object;
static HRESULT WINAPI qi(Object *me, REFIID iid, void **out) { *out = me; return S_OK; }
static ULONG WINAPI ref(void *me) { return 2; }
static HRESULT WINAPI none(void) { return E_NOTIMPL; }
#define INSPECTABLE qi, ref, ref, none, none, none
#define TEXT_(f, t) static HRESULT WINAPI f(Object *me, HSTRING *s) { return WindowsCreateString(t, wcslen(t), s); }
#define VALUE(f, type, v) static HRESULT WINAPI f(Object *me, type *o) { *o = v; return S_OK; }

static void note(const char *what, LONG64 value) {
  FILE *f = fopen("C:\\standins\\orders.txt", "a");
  if (f) { fprintf(f, "%s %lld\n", what, value); fclose(f); }
}
static int state = 4, shuffled = 0, repeating = 2;
static LONG64 position = 425000000, updated_at;
static LONG64 now(void) { FILETIME f; GetSystemTimeAsFileTime(&f); return ((LONG64)f.dwHighDateTime << 32) | f.dwLowDateTime; }

/* An operation that takes 20 ms, as one object with two tables; the result is a pointer or a byte. */
typedef struct { void **vt; void **info; void *result; ULONGLONG ready; int isFlag; } Async;
static HRESULT WINAPI async_qi(Async *me, REFIID iid, void **out) { *out = IsEqualGUID(iid, &IID_IAsyncInfo) ? (void *)&me->info : me; return S_OK; }
static HRESULT WINAPI results(Async *me, void **out) {
  if (GetTickCount64() < me->ready) return 0x8000000E;
  if (me->isFlag) *(BYTE *)out = 1; else *out = me->result;
  return S_OK;
}
static HRESULT WINAPI async_status(void **me, int *s) { *s = GetTickCount64() >= ((Async *)(me - 1))->ready; return S_OK; }
VALUE(async_error, int, 0)
static void *async_vt[] = {async_qi, ref, ref, none, none, none, none, none, results};
static void *progress_vt[] = {async_qi, ref, ref, none, none, none, none, none, none, none, results};
static void *info_vt[] = {INSPECTABLE, none, async_status, async_error, none, none};
static Async *later(void **vt, void *result, int isFlag) {
  Async *a = calloc(1, sizeof *a);
  a->vt = vt; a->info = info_vt; a->result = result; a->isFlag = isFlag; a->ready = GetTickCount64() + 20;
  return a;
}

/* IReference of each kind */
VALUE(one, double, 1.0) VALUE(shuffle_value, BYTE, shuffled) VALUE(repeat_value, int, repeating) VALUE(music, int, 1)
static void *rate_vt[] = {INSPECTABLE, one}; static Object rate_ref = {rate_vt};
static void *shuffle_vt[] = {INSPECTABLE, shuffle_value}; static Object shuffle_ref = {shuffle_vt};
static void *repeat_vt[] = {INSPECTABLE, repeat_value}; static Object repeat_ref = {repeat_vt};
static void *music_vt[] = {INSPECTABLE, music}; static Object music_ref = {music_vt};

/* A picture: the smallest GIF there is, in a stream and in a buffer */
static BYTE picture[] = {'G','I','F','8','9','a',1,0,1,0,0x80,0,0,0,0,0,255,255,255,0x2c,0,0,0,0,1,0,1,0,0,2,2,0x44,1,0,0x3b};
static HRESULT WINAPI buffer_length(Object *me, UINT32 *n) { *n = sizeof picture; return S_OK; }
static HRESULT WINAPI access_bytes(void *me, BYTE **b) { *b = picture; return S_OK; }
static void *access_vt[] = {qi, ref, ref, access_bytes}; static Object access_ = {access_vt};
static HRESULT WINAPI buffer_qi(Object *me, REFIID iid, void **out) { *out = iid->Data1 == 0x905a0fef ? (void *)&access_ : me; return S_OK; }
static void *buffer_vt[] = {buffer_qi, ref, ref, none, none, none, none, buffer_length, none}; static Object buffer = {buffer_vt};
static HRESULT WINAPI make_buffer(Object *me, UINT32 n, void **out) { *out = n == sizeof picture ? &buffer : 0; return S_OK; }
static void *buffers_vt[] = {INSPECTABLE, make_buffer}; static Object buffers = {buffers_vt};
static HRESULT WINAPI stream_read(Object *me, void *into, UINT32 n, int options, void **out) { *out = later(progress_vt, into, 0); return S_OK; }
static void *input_vt[] = {INSPECTABLE, stream_read}; static Object input = {input_vt};
static HRESULT WINAPI stream_qi(Object *me, REFIID iid, void **out) { *out = iid->Data1 == 0x905a0fe2 ? &input : me; return S_OK; }
VALUE(stream_size, UINT64, sizeof picture)
static void *stream_vt[] = {stream_qi, ref, ref, none, none, none, stream_size}; static Object stream = {stream_vt};
static HRESULT WINAPI open_read(Object *me, void **out) { *out = later(async_vt, &stream, 0); return S_OK; }
static void *reference_vt[] = {INSPECTABLE, open_read}; static Object reference = {reference_vt};

/* The media; entry 0 has all properties, 1 is a browser with few */
static HRESULT WINAPI title(Object *me, HSTRING *s) {
  wchar_t text[64] = L"First Tone \x266b";
  FILE *f = fopen("C:\\standins\\title.txt", "r");
  if (f) { char line[64] = ""; fgets(line, 64, f); fclose(f); MultiByteToWideChar(CP_UTF8, 0, line, -1, text, 64); }
  if (me->entry) text[0] = 0;
  return WindowsCreateString(text, wcslen(text), s);
}
TEXT_(nothing, L"") TEXT_(albumArtist, L"Various") TEXT_(artist, L"Test Artist") TEXT_(album, L"Test Album")
VALUE(track, int, me->entry ? 0 : 3) VALUE(tracks, int, 12) VALUE(null_, void *, 0) VALUE(music_or_not, void *, me->entry ? 0 : (void *)&music_ref)
VALUE(thumbnail, void *, me->entry ? 0 : (void *)&reference)
static HRESULT WINAPI artist_or_not(Object *me, HSTRING *s) { return me->entry ? nothing(me, s) : artist(me, s); }
static void *media_vt[] = {INSPECTABLE, title, nothing, albumArtist, artist_or_not, album, track, null_, tracks, music_or_not, thumbnail};
static Object media[2] = {{media_vt, 0}, {media_vt, 1}};

VALUE(zero, LONG64, 0) VALUE(end, LONG64, me->entry ? 0 : 1800000000) VALUE(pos, LONG64, me->entry ? 0 : position) VALUE(updated, LONG64, me->entry ? 0 : updated_at)
static void *time_vt[] = {INSPECTABLE, zero, end, zero, end, pos, updated};
static Object timeline[2] = {{time_vt, 0}, {time_vt, 1}};

VALUE(yes, BYTE, 1) VALUE(no, BYTE, 0) VALUE(first, BYTE, me->entry == 0)
static void *controls_vt[] = {INSPECTABLE, yes, yes, first, no, no, no, first, no, no, no, first, first, first, no, first};
static Object controls[2] = {{controls_vt, 0}, {controls_vt, 1}};
VALUE(get_controls, void *, &controls[me->entry]) VALUE(status, int, me->entry ? 5 : state)
VALUE(rate, void *, me->entry ? 0 : (void *)&rate_ref) VALUE(shuffle, void *, me->entry ? 0 : (void *)&shuffle_ref) VALUE(repeat, void *, me->entry ? 0 : (void *)&repeat_ref)
static void *playback_vt[] = {INSPECTABLE, get_controls, status, music_or_not, repeat, rate, shuffle};
static Object playback[2] = {{playback_vt, 0}, {playback_vt, 1}};

/* The program */
static HRESULT WINAPI app(Object *me, HSTRING *s) {
  const wchar_t *t = me->entry ? L"chrome.exe" : L"Maker.Player_abc123!Player";
  return WindowsCreateString(t, wcslen(t), s);
}
static HRESULT WINAPI get_media(Object *me, void **o) { *o = later(async_vt, &media[me->entry], 0); return S_OK; }
VALUE(get_timeline, void *, &timeline[me->entry]) VALUE(get_playback, void *, &playback[me->entry])
#define ORDER(f, text, effect) static HRESULT WINAPI f(Object *me, void **o) { note(text, me->entry); effect; *o = later(async_vt, 0, 1); return S_OK; }
ORDER(play, "play", state = 4; updated_at = now()) ORDER(pause_, "pause", state = 5; updated_at = now()) ORDER(stop, "stop", state = 3)
ORDER(next, "next", ) ORDER(previous, "previous", ) ORDER(toggle, "toggle", state = state == 4 ? 5 : 4; updated_at = now())
static HRESULT WINAPI set_repeat(Object *me, int mode, void **o) { note("repeat", mode); repeating = mode; *o = later(async_vt, 0, 1); return S_OK; }
static HRESULT WINAPI set_shuffle(Object *me, BYTE on, void **o) { note("shuffle", on); shuffled = on; *o = later(async_vt, 0, 1); return S_OK; }
static HRESULT WINAPI seek(Object *me, LONG64 to, void **o) { note("position", to / 10000000); position = to; updated_at = now(); *o = later(async_vt, 0, 1); return S_OK; }
static void *session_vt[] = {INSPECTABLE, app, get_media, get_timeline, get_playback, play, pause_, stop, none, none, none, next, previous,
  none, none, toggle, set_repeat, none, set_shuffle, seek};
static Object session[2] = {{session_vt, 0}, {session_vt, 1}};

static HRESULT WINAPI session_at(Object *me, UINT32 i, void **out) { *out = &session[1 - i]; return S_OK; }
VALUE(session_count, UINT32, 2)
static void *list_vt[] = {INSPECTABLE, session_at, session_count, none, none}; static Object list = {list_vt};
VALUE(current, void *, &session[0]) VALUE(sessions, void *, &list)
static void *manager_vt[] = {INSPECTABLE, current, sessions}; static Object manager = {manager_vt};
static HRESULT WINAPI request(Object *me, void **o) { if (!updated_at) updated_at = now(); *o = later(async_vt, &manager, 0); return S_OK; }
static void *factory_vt[] = {INSPECTABLE, request}; static Object factory = {factory_vt};

__declspec(dllexport) HRESULT WINAPI DllGetActivationFactory(HSTRING cls, void **out) {
  *out = wcsstr(WindowsGetStringRawBuffer(cls, 0), L"Buffer") ? &buffers : &factory;
  return S_OK;
}
__declspec(dllexport) HRESULT WINAPI DllCanUnloadNow(void) { return S_FALSE; }
