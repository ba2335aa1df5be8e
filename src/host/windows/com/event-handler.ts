import { memoryAt } from '../../ffi.ts';
import { systemLibrary } from '../native/library.ts';
import { slot } from '../native/memory.ts';
import { guidBytes } from '../native/shell32.ts';

/**
 * A handler of one event. Windows calls it on its own thread, where no JavaScript can run; so it is native code that
 * only stores its arguments, and we poll it.
 */
export interface EventHandler {
  /** The address for Windows. */
  place: number;
  hasFired(): boolean;
  /** The argument of the event, with a reference that we own; 0: none. */
  argument(): number;
  /** Not before Windows has released it. */
  free(): void;
}

/**
 * Translated from this, for x64 by GCC and for arm64 by clang (-Os).
 *
 *     typedef struct { void *vt; void *args; int32_t fired, pad; uint64_t ids[6]; } Handler;
 *     int32_t query(Handler *me, const uint64_t *id, void **out) {
 *       for (int i = 0; i < 6; i += 2) if (id[0] == me->ids[i] && id[1] == me->ids[i + 1]) { *out = me; return 0; }
 *       *out = 0; return E_NOINTERFACE;
 *     }
 *     int32_t invoke(Handler *me, void *sender, void **args) {
 *       if (me->fired) return 0;
 *       if (args) { ((uint32_t (*)(void *))((void **)*args)[1])(args); me->args = args; }
 *       __atomic_store_n(&me->fired, 1, __ATOMIC_RELEASE); return 0;
 *     }
 *     uint32_t count(void *me) { return 2; }
 */
const programs: Partial<
  Record<NodeJS.Architecture, { code: string; starts: Record<'query' | 'invoke' | 'count', number> }>
> = {
  x64: {
    code: [
      '4c8b0a31c04c3b4c0118750b4c8b5401204c3952087413',
      '4883c0104883f83075e431c9b802400080eb0231c0498908c3',
      '8b411085c0752e564889ce534c89c34883ec284d85c0740d498b004c89c1ff500848895e08c74610010000004883c42831c05b5ec331c0c3',
      'b802000000c3',
    ].join(''),
    starts: { query: 0, invoke: 0x30, count: 0x68 },
  },
  arm64: {
    code: [
      '290040f9e80300aaea031faa0b0d0a8b6c0d40f93f010ceba10000542c0440f96b1140f99f010beb000100545f1100f14a090091c3feff5440008852',
      'e8031faa0000b07202000014e0031f2a480000f9c0035fd6',
      'fe0f1ef8081040b9f44f01a988010035f30300aaf40302aac20000b4880240f9e00314aa080540f900013fd6740600f9684200912900805209fd9f88',
      'f44f41a9e0031f2afe0742f8c0035fd6',
      '40008052c0035fd6',
    ].join(''),
    starts: { query: 0, invoke: 0x54, count: 0xa0 },
  },
};
const object = { table: 0, args: 8, fired: 16, ids: 24, size: 72 };
const { RESERVE_AND_COMMIT, READ_WRITE, EXECUTE_READ, RELEASE } = {
  RESERVE_AND_COMMIT: 0x3000,
  READ_WRITE: 4,
  EXECUTE_READ: 0x20,
  RELEASE: 0x8000,
};
/** The value of GetCurrentProcess. */
const thisProcess = -1;
const ids = { IUnknown: '00000000-0000-0000-c000-000000000046', IAgileObject: '94ea2b94-e9cc-49e0-c0ff-ee64ca8f5b90' };

/** null: not implemented for this processor. */
export function openEventHandlers(): ((interfaceId: string) => EventHandler) | null {
  const written = programs[process.arch];
  if (written === undefined) return null;
  const { code, starts } = written;
  const { VirtualAlloc, VirtualProtect, VirtualFree, FlushInstructionCache } = systemLibrary('kernel32.dll', {
    VirtualAlloc: { args: ['u64', 'u64', 'u32', 'u32'], returns: 'u64' },
    VirtualProtect: { args: ['u64', 'u64', 'u32', 'ptr'], returns: 'i32' },
    VirtualFree: { args: ['u64', 'u64', 'u32'], returns: 'i32' },
    FlushInstructionCache: { args: ['i64', 'u64', 'u64'], returns: 'i32' },
  });
  const allocate = () => {
    const place = Number(VirtualAlloc(0, 4096, RESERVE_AND_COMMIT, READ_WRITE));
    if (place === 0) throw new Error('Windows allocated no memory');
    return place;
  };
  // The code and the method table are written once, then read-only.
  const program = allocate();
  const table = program + 0x100;
  memoryAt(program, 4096).set(Buffer.from(code, 'hex'));
  const methods = [starts.query, starts.count, starts.count, starts.invoke];
  const entries = new DataView(memoryAt(table, 32).buffer);
  for (const [index, start] of methods.entries()) entries.setBigUint64(8 * index, BigInt(program + start), true);
  if (VirtualProtect(program, 4096, EXECUTE_READ, slot().place) === 0)
    throw new Error('Windows refuses executable memory');
  // Some processors would execute stale cached instructions.
  FlushInstructionCache(thisProcess, program, 4096);

  return (interfaceId) => {
    const place = allocate();
    const bytes = memoryAt(place, object.size);
    const view = new DataView(bytes.buffer, bytes.byteOffset, object.size);
    view.setBigUint64(object.table, BigInt(table), true);
    for (const [index, id] of [interfaceId, ids.IUnknown, ids.IAgileObject].entries())
      bytes.set(guidBytes(id), object.ids + 16 * index);
    return {
      place,
      hasFired: () => view.getInt32(object.fired, true) !== 0,
      argument: () => Number(view.getBigUint64(object.args, true)),
      free: () => void VirtualFree(place, 0, RELEASE),
    };
  };
}
