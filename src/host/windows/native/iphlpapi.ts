import { address, addressOf, copyFrom, pinned } from '../../ffi.ts';
import { MIB_IF_ROW2 } from './iphlpapi.structs.ts';
import { slot } from './memory.ts';
import type { StructBlock } from './structs.ts';
import { win32 } from './win32.ts';

/** iphlpapi.dll: interfaces and connections. null: the call failed. */
export type Iphlpapi = ReturnType<typeof openIphlpapi>;

const ERROR_BUFFER_OVERFLOW = 111;
const ERROR_INSUFFICIENT_BUFFER = 122;
const { TCP_TABLE_OWNER_PID_ALL, UDP_TABLE_OWNER_PID } = { TCP_TABLE_OWNER_PID_ALL: 5, UDP_TABLE_OWNER_PID: 1 };
/** Neither anycast, multicast nor DNS servers, but gateways. */
const wantedOfAdapters = 0x02 | 0x04 | 0x08 | 0x80;

export function openIphlpapi() {
  /** Retries with more memory, since entries may be added meanwhile. */
  const grown = (
    call: (bytes: Uint8Array<ArrayBuffer>, size: ReturnType<typeof slot>) => number,
  ): StructBlock | null => {
    let bytes = pinned(65_536);
    for (let tries = 0; tries < 5; tries++) {
      const size = slot(bytes.length);
      const status = call(bytes, size);
      if (status === 0) return { at: addressOf(bytes), bytes };
      if (status !== ERROR_BUFFER_OVERFLOW && status !== ERROR_INSUFFICIENT_BUFFER) return null;
      bytes = pinned(Math.max(2 * bytes.length, size.u32() + 16_384));
    }
    return null;
  };

  return {
    /** A chain of IP_ADAPTER_ADDRESSES, with everything it points to. */
    adapters: () =>
      grown((bytes, size) => win32.GetAdaptersAddresses(0, wantedOfAdapters, 0, address(bytes), size.place)),
    /** All MIB_IF_ROW2, without the header of the table. */
    counters(): Uint8Array | null {
      const table = slot();
      if (win32.GetIfTable2(table.place) !== 0) return null;
      const at = table.u64();
      const count = new DataView(copyFrom(at, 4).buffer).getUint32(0, true);
      const rows = copyFrom(at + 8, count * MIB_IF_ROW2.size);
      win32.FreeMibTable(at);
      return rows;
    },
    /** Rows with the processes they belong to, after their number (u32). `family`: 2 or 23. */
    tcpTable: (family: number) =>
      grown((bytes, { place }) =>
        win32.GetExtendedTcpTable(address(bytes), place, 0, family, TCP_TABLE_OWNER_PID_ALL, 0),
      )?.bytes ?? null,
    udpTable: (family: number) =>
      grown((bytes, { place }) => win32.GetExtendedUdpTable(address(bytes), place, 0, family, UDP_TABLE_OWNER_PID, 0))
        ?.bytes ?? null,
  };
}
