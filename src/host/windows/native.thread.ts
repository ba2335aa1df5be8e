import { messageOf } from '../../lib/errors.ts';
import type { ThreadJob } from '../../lib/thread.ts';
import { openNative } from './native/native.ts';
import type { NativeAnswer, NativeQuestion } from './native-threads.ts';

/** Asks one of Windows' libraries, in a thread that may block. */
export const answerNative: ThreadJob = async (post) => {
  const native = openNative();
  const answer = ({ id, library, method, args }: NativeQuestion): NativeAnswer => {
    try {
      const called: unknown = Reflect.get(native[library], method);
      if (typeof called !== 'function') throw new Error(`${library} has no ${method}`);
      return { id, value: Reflect.apply(called, native[library], args) };
    } catch (error) {
      return { id, problem: messageOf(error) };
    }
  };
  return { receive: (question) => post(answer(question as NativeQuestion)) };
};
