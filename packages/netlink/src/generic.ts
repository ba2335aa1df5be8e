import type { EachMessage, Netlink, NetlinkSocket } from './netlink.ts';
import { eachAttribute } from './rtnetlink.ts';

const NETLINK_GENERIC = 16;
/** https://docs.kernel.org/networking/generic_netlink.html */
const GENL_ID_CTRL = 16;
const CTRL_CMD_GETFAMILY = 3;
const CTRL_ATTR_FAMILY_ID = 1;
const CTRL_ATTR_FAMILY_NAME = 2;
/** struct genlmsghdr. */
export const genericHeaderBytes = 4;

/** One family of messages, such as nl80211, over its own socket. */
export interface GenericFamily {
  /** Whether the kernel has it. */
  find(): Generator<void, boolean>;
  /** Requests a table. Throws the error of the kernel. */
  ask(body: Uint8Array, each: EachMessage): Generator<void, boolean>;
  close(): void;
}

export function createGenericFamily(netlink: Netlink, wanted: string): GenericFamily {
  let socket: NetlinkSocket | null = null;
  let family: number | null = null;
  const opened = () => {
    socket ??= netlink.open(NETLINK_GENERIC);
    return socket;
  };
  return {
    /** Family numbers are assigned at run time. All are requested: the reply about one may be longer than a short message. */
    *find() {
      if (family !== null) return true;
      let found: number | null = null;
      yield* opened().ask(GENL_ID_CTRL, genericCommand(CTRL_CMD_GETFAMILY), (bytes, at, end) => {
        const { id, name } = parseFamily(bytes, at, end);
        if (name === wanted) found = id;
      });
      family = found;
      return found !== null;
    },
    *ask(body, each) {
      if (family === null) throw new Error(`The kernel has no netlink family ${wanted}`);
      return yield* opened().ask(family, body, each);
    },
    close() {
      socket?.close();
      socket = null;
      family = null;
    },
  };
}

/** struct genlmsghdr, and attributes as they are. */
export function genericCommand(number: number, attributes: readonly number[] = []): Uint8Array {
  return Uint8Array.from([number, 1, 0, 0, ...attributes]);
}

function parseFamily(bytes: DataView, at: number, end: number): { id: number | null; name: string } {
  const family: { id: number | null; name: string } = { id: null, name: '' };
  eachAttribute(bytes, at + genericHeaderBytes, end, (type, from, length) => {
    if (type === CTRL_ATTR_FAMILY_ID && length >= 2) family.id = bytes.getUint16(from, true);
    // Ends with a zero byte.
    else if (type === CTRL_ATTR_FAMILY_NAME) family.name = bytesAsText(bytes, from, length - 1);
  });
  return family;
}

/** Mostly UTF-8; invalid bytes become U+FFFD. */
export function bytesAsText(bytes: DataView, at: number, length: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.max(0, length)).toString();
}
