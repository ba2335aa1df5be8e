import { copyFrom } from '../../ffi.ts';
import { guidBytes } from '../native/guid.ts';
import { slot, wide } from '../native/memory.ts';
import { win32 } from '../native/win32.ts';
import { type Com, ComError, type ComObject, type ComScope, openCom } from './com.ts';
import type { ComInterface } from './interfaces.ts';
import {
  IAsyncInfo,
  IAsyncOperation,
  IAsyncOperationWithProgress,
  IBuffer,
  IBufferByteAccess,
  IBufferFactory,
  IInputStream,
  IRandomAccessStream,
  type IRandomAccessStreamReference,
} from './winrt.interfaces.ts';

const patienceMs = 5000;
const { STARTED, COMPLETED } = { STARTED: 0, COMPLETED: 1 };
const NOT_REGISTERED = 0x80040154;

/** WinRT for a thread that may block: operations are polled for their end, since Windows would report it on its own thread. */
export function openWinrt() {
  const com: Com = openCom();
  win32.RoInitialize(1);

  const withText = <T>(text: string, work: (handle: number) => T): T => {
    const handle = slot();
    const result = win32.WindowsCreateString(wide(text), text.length, handle.place);
    if (result < 0) throw new ComError('WindowsCreateString', result);
    try {
      return work(handle.u64());
    } finally {
      win32.WindowsDeleteString(handle.u64());
    }
  };

  /** Waits for an operation, without its result. */
  const finish = (operation: ComObject) => {
    const info = operation.as(IAsyncInfo);
    if (info === null) throw new Error('Windows returned an operation that cannot be awaited');
    const until = Number(win32.GetTickCount64()) + patienceMs;
    for (let wait = 1; ; wait = Math.min(20, 2 * wait)) {
      const status = info.ask('get_Status').i32();
      if (status === COMPLETED) return;
      if (status !== STARTED) throw new ComError('An operation of Windows', info.ask('get_ErrorCode').i32());
      if (Number(win32.GetTickCount64()) > until)
        throw new Error(`Windows did not finish within ${patienceMs / 1000} s`);
      win32.Sleep(wait);
    }
  };

  const winrt = {
    within: com.within,
    withText,
    /** The static interface of a class; null: this Windows has no such class. */
    statics<I extends ComInterface>(scope: ComScope, name: string, of: I): ComObject<I> | null {
      const factory = slot();
      const result = withText(name, (handle) => win32.RoGetActivationFactory(handle, guidBytes(of.id), factory.place));
      if (result >>> 0 === NOT_REGISTERED) return null;
      if (result < 0) throw new ComError(name, result);
      return scope.adopt(factory.u64(), of);
    },
    /** An object without constructor arguments. */
    instance<I extends ComInterface>(scope: ComScope, name: string, of: I): ComObject<I> {
      const value = slot();
      const result = withText(name, (handle) => win32.RoActivateInstance(handle, value.place));
      if (result < 0) throw new ComError(name, result);
      const object = scope.adopt(value.u64(), of).as(of);
      if (object === null) throw new Error(`${name} has no such interface`);
      return object;
    },
    text<I extends ComInterface>(object: ComObject<I>, method: keyof I['methods'] & string): string {
      const handle = object.ask(method).u64();
      const length = slot();
      const place = Number(win32.WindowsGetStringRawBuffer(handle, length.place));
      const text = place === 0 ? '' : Buffer.from(copyFrom(place, 2 * length.u32())).toString('utf16le');
      win32.WindowsDeleteString(handle);
      return text;
    },
    /** The result object of an operation. */
    awaited<I extends ComInterface>(operation: ComObject<typeof IAsyncOperation> | null, of: I): ComObject<I> | null {
      if (operation === null) return null;
      finish(operation);
      return operation.get(of, 'GetResults');
    },
    /** …or its boolean result. */
    succeeded(operation: ComObject<typeof IAsyncOperation> | null): boolean {
      if (operation === null) return false;
      finish(operation);
      return operation.ask('GetResults').u8() !== 0;
    },
    /** The whole stream; null: longer than `most`, or empty. */
    bytes(scope: ComScope, reference: ComObject<typeof IRandomAccessStreamReference>, most: number): Uint8Array | null {
      const opened = winrt.awaited(reference.get(IAsyncOperation, 'OpenReadAsync'), IRandomAccessStream);
      const stream = opened?.as(IRandomAccessStream) ?? null;
      const size = stream?.ask('get_Size').u64() ?? 0;
      const source = stream?.as(IInputStream) ?? null;
      if (source === null || size === 0 || size > most) return null;
      const factory = winrt.statics(scope, 'Windows.Storage.Streams.Buffer', IBufferFactory);
      const empty = factory?.get(IBuffer, 'Create', size) ?? null;
      if (empty === null) return null;
      const reading = source.get(IAsyncOperationWithProgress, 'ReadAsync', empty.place, size, 0);
      if (reading === null) return null;
      finish(reading);
      const filled = reading.get(IBuffer, 'GetResults');
      const place = filled?.as(IBufferByteAccess)?.ask('Buffer').u64() ?? 0;
      return filled === null || place === 0 ? null : copyFrom(place, filled.ask('get_Length').u32());
    },
  };
  return winrt;
}
