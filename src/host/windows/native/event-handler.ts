import { memoryAt } from '../../ffi.ts';
import { systemLibrary } from './library.ts';
import { slot } from './memory.ts';
import { guidBytes } from './shell32.ts';

/**
 * An object that hears of one event. Windows calls it on a thread of its own, where no JavaScript can run; so it is native code that
 * only keeps what it was given, and we look from time to time.
 */
export interface EventHandler {
  /** To hand to Windows. */
  place: number;
  hasFired(): boolean;
  /** What came with the event, counted for us; 0: nothing. */
  argument(): number;
  /** Not before Windows has let go of it. */
  free(): void;
}

/**
 * For x64, translated by GCC (-Os) from this; arm64 would need its own.
 *
 *     typedef struct { void *vt; void *args; int32_t fired, pad; uint64_t ids[6]; } Handler;
 *     int32_t query(Handler *me, const uint64_t *id, void **out) {
 *       for (int i = 0; i < 6; i += 2) if (id[0] == me->ids[i] && id[1] == me->ids[i + 1]) { *out = me; return 0; }
 *       *out = 0; return E_NOINTERFACE;
 *     }
 *     int32_t invoke(Handler *me, void *sender, void **args) {
 *       if (me->fired) return 0;
 *       if (args) { ((uint32_t (*)(void *))((void **)*args)[1])(args); me->args = args; }
 *       me->fired = 1; return 0;
 *     }
 *     uint32_t count(void *me) { return 2; }
 */
const code = [
  '4c8b0a31c04c3b4c0118750b4c8b5401204c3952087413',
  '4883c0104883f83075e431c9b802400080eb0231c0498908c3',
  '8b411085c0752e564889ce534c89c34883ec284d85c0740d498b004c89c1ff500848895e08c74610010000004883c42831c05b5ec331c0c3',
  'b802000000c3',
].join('');
const starts = { query: 0, invoke: 0x30, count: 0x68 };
const object = { table: 0, args: 8, fired: 16, ids: 24, size: 72 };
const { RESERVE_AND_COMMIT, READ_WRITE, EXECUTE_READ, RELEASE } = {
  RESERVE_AND_COMMIT: 0x3000,
  READ_WRITE: 4,
  EXECUTE_READ: 0x20,
  RELEASE: 0x8000,
};
const ids = { IUnknown: '00000000-0000-0000-c000-000000000046', IAgileObject: '94ea2b94-e9cc-49e0-c0ff-ee64ca8f5b90' };

/** null: not written for this processor. */
export function openEventHandlers(): ((interfaceId: string) => EventHandler) | null {
  if (process.arch !== 'x64') return null;
  const { VirtualAlloc, VirtualProtect, VirtualFree } = systemLibrary('kernel32.dll', {
    VirtualAlloc: { args: ['u64', 'u64', 'u32', 'u32'], returns: 'u64' },
    VirtualProtect: { args: ['u64', 'u64', 'u32', 'ptr'], returns: 'i32' },
    VirtualFree: { args: ['u64', 'u64', 'u32'], returns: 'i32' },
  });
  const allocate = () => {
    const place = Number(VirtualAlloc(0, 4096, RESERVE_AND_COMMIT, READ_WRITE));
    if (place === 0) throw new Error('Windows gave no memory');
    return place;
  };
  // The code and the table of methods, once: written, then never writable again.
  const program = allocate();
  const table = program + 0x100;
  memoryAt(program, 4096).set(Buffer.from(code, 'hex'));
  const methods = [starts.query, starts.count, starts.count, starts.invoke];
  const written = new DataView(memoryAt(table, 32).buffer);
  for (const [index, start] of methods.entries()) written.setBigUint64(8 * index, BigInt(program + start), true);
  if (VirtualProtect(program, 4096, EXECUTE_READ, slot().place) === 0) throw new Error('Windows forbids code of ours');

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
