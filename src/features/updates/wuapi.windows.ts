import { defineLibrary } from '../../host/native-library.ts';
import { openBstr } from '../../host/windows/com/bstr.ts';
import { type ComObject, openCom } from '../../host/windows/com/com.ts';
import {
  ISearchResult,
  IUpdate,
  IUpdateCollection,
  IUpdateSearcher,
  IUpdateSession,
} from './wuapi.interfaces.windows.ts';

export interface PendingUpdate {
  title: string;
  /** Critical, Important …; empty: it is not about security. */
  severity: string;
}

const UpdateSession = '4cb43d7f-7eee-4906-8698-60da1c38f2fe';
const criteria = 'IsInstalled=0 and IsHidden=0';
/** OperationResultCode: succeeded, and succeeded with errors. */
const found: readonly number[] = [2, 3];

export const wuapiLibrary = defineLibrary('wuapi', openWuapi, { patienceMs: 120_000 });

/** Windows Update. A search takes seconds to minutes, so it runs in a thread. */
function openWuapi() {
  const com = openCom();
  const { withTexts, take } = openBstr();
  const textOf = (update: ComObject<typeof IUpdate>, method: 'get_Title' | 'get_MsrcSeverity') =>
    take(update.ask(method).u64(), 1024);
  const need = <T>(object: T | null): T => {
    if (object === null) throw new Error('Windows Update did not answer');
    return object;
  };
  return {
    /** Updates that Windows found in its latest search and has not installed; without a request to a server. Throws if they are unknown. */
    pending: (most: number): { count: number; updates: PendingUpdate[] } =>
      com.within((scope) => {
        const session = scope.create(UpdateSession, IUpdateSession);
        const searcher = need(session.get(IUpdateSearcher, 'CreateUpdateSearcher'));
        // Otherwise it would query a server.
        searcher.call('put_Online', 0);
        const result = withTexts([criteria], (wanted) => need(searcher.get(ISearchResult, 'Search', wanted)));
        const code = result.ask('get_ResultCode').i32();
        if (!found.includes(code)) throw new Error(`the search ended with ${code}`);
        const all = need(result.get(IUpdateCollection, 'get_Updates'));
        const count = Math.max(0, all.ask('get_Count').i32());
        const updates = Array.from({ length: Math.min(count, most) }, (_, index) => {
          const update = need(all.get(IUpdate, 'get_Item', index));
          return { title: textOf(update, 'get_Title'), severity: textOf(update, 'get_MsrcSeverity') };
        });
        return { count, updates };
      }),
  };
}
