import { address, pinned } from '../../ffi.ts';
import { slot, textAt, wide } from '../native/memory.ts';
import { readStruct } from '../native/structs.ts';
import { win32 } from '../native/win32.ts';
import { openBstr } from './bstr.ts';
import { openCom } from './com.ts';
import { IEnumWbemClassObject, IWbemClassObject, IWbemLocator, IWbemServices } from './wmi.interfaces.ts';
import { VARIANT } from './wmi.structs.ts';

export type WmiValue = string | number | boolean | null;

const WbemLocator = '4590f811-1d3a-11d0-891f-00aa004b2e24';
/** Forward only, and returns immediately. */
const flags = 0x30;
const { DEFAULT_AUTHENTICATION, CALL, IMPERSONATE } = { DEFAULT_AUTHENTICATION: 10, CALL: 3, IMPERSONATE: 3 };
const rowWithinMs = 3000;

/** WMI, through which other programs expose values. Calls block, so they run in a thread. */
export function openWmi() {
  const com = openCom();
  const { withTexts } = openBstr();
  return {
    /** These fields of all objects of a class; null: no such namespace or class. */
    list: (namespace: string, className: string, fields: string[]) =>
      com.within((scope) => {
        const locator = scope.create(WbemLocator, IWbemLocator);
        const connected = slot();
        const result = withTexts([namespace], (place) =>
          locator.attempt('ConnectServer', place, 0, 0, 0, 0, 0, 0, connected.place),
        );
        if (result < 0) return null;
        const services = scope.adopt(connected.u64(), IWbemServices);
        const blanket = [DEFAULT_AUTHENTICATION, 0, 0, CALL, IMPERSONATE, 0, 0] as const;
        win32.CoSetProxyBlanket(services.place, ...blanket);
        const found = slot();
        const asked = withTexts(['WQL', `SELECT * FROM ${className}`], (language, query) =>
          services.attempt('ExecQuery', language, query, flags, 0, found.place),
        );
        if (asked < 0) return null;
        const rows = scope.adopt(found.u64(), IEnumWbemClassObject);
        const list: Record<string, WmiValue>[] = [];
        for (;;) {
          const [row, count] = [slot(), slot()];
          // A missing class is reported here only.
          const next = rows.attempt('Next', rowWithinMs, 1, row.place, count.place);
          if (next < 0) return null;
          if (next !== 0 || count.u32() === 0) return list;
          const object = scope.adopt(row.u64(), IWbemClassObject);
          list.push(Object.fromEntries(fields.map((field) => [field, fieldOf(object, field)])));
        }
      }),
  };

  function fieldOf(
    object: ReturnType<Parameters<Parameters<typeof com.within>[0]>[0]['adopt']>,
    field: string,
  ): WmiValue {
    const bytes = pinned(VARIANT.size);
    if (object.attempt('Get', wide(field), 0, address(bytes), 0, 0) < 0) return null;
    const value = variantValue(bytes, textAt);
    win32.VariantClear(address(bytes));
    return value;
  }
}

/** Of the kinds that WMI has for numbers, texts and flags. */
export function variantValue(bytes: Uint8Array, text: (place: number) => string): WmiValue {
  const { vt, lVal, boolVal, bstrVal } = readStruct(VARIANT, bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const kinds: Partial<Record<number, () => WmiValue>> = {
    2: () => boolVal,
    3: () => lVal,
    4: () => view.getFloat32(8, true),
    5: () => view.getFloat64(8, true),
    8: () => text(bstrVal),
    11: () => boolVal !== 0,
    17: () => view.getUint8(8),
  };
  return kinds[vt]?.() ?? null;
}
