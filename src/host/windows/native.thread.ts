import type { ThreadJob } from '../../lib/thread.ts';
import { threadAnswers } from '../../lib/thread-calls.ts';
import type { NativeLibrary } from '../native-library.ts';
import { isShared, openNative } from './native/native.ts';
import type { NativeRequest } from './native-threads.ts';

/** Calls one library of Windows, in a thread that may block. `findLibrary` finds those that one feature declares. */
export const serveNative =
  (findLibrary: (name: string) => Promise<NativeLibrary>): ThreadJob =>
  async (post, data) => {
    const name = String(data);
    const open = isShared(name) ? () => openNative()[name] : (await findLibrary(name)).open;
    let library: object | null = null;
    const call = ({ method, args }: NativeRequest): unknown => {
      library ??= open();
      const called: unknown = Reflect.get(library, method);
      if (typeof called !== 'function') throw new Error(`${name} has no ${method}`);
      return Reflect.apply(called, library, args);
    };
    return {
      receive: threadAnswers(post, (request) => call(request as NativeRequest)),
      end() {
        const close: unknown = library === null ? undefined : Reflect.get(library, 'close');
        if (typeof close === 'function') close();
      },
    };
  };
