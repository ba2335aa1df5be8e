import { type EachMessage, type Netlink, NetlinkError } from '../netlink.ts';

/** What one message carries, as the kernel would send it. */
export type Message = { type: number; body: Uint8Array };

export function linkMessage(link: {
  type?: number;
  family?: number;
  index?: number;
  flags?: number;
  name?: string;
  mtu?: number;
  mac?: number[];
  broadcast?: number[];
  operstate?: number;
  carrierChanges?: number;
  /** What lies in IFLA_LINKINFO. */
  info?: number[];
  /** The numbers of struct rtnl_link_stats64. */
  counters?: (number | bigint)[];
}): Message {
  const head = new DataView(new ArrayBuffer(16));
  head.setUint8(0, link.family ?? 0);
  head.setInt32(4, link.index ?? 2, true);
  head.setUint32(8, link.flags ?? 0, true);
  return message(link.type ?? 16, head, [
    link.name !== undefined && [3, [...Buffer.from(link.name), 0]],
    link.mtu !== undefined && [4, word(link.mtu)],
    link.mac && [1, link.mac],
    link.broadcast && [2, link.broadcast],
    link.operstate !== undefined && [16, [link.operstate]],
    link.info && [18, link.info],
    link.carrierChanges !== undefined && [35, word(link.carrierChanges)],
    link.counters && [23, link.counters.flatMap(longWord)],
  ]);
}

export function addressMessage(address: {
  type?: number;
  family?: number;
  prefix?: number;
  scope?: number;
  index?: number;
  address?: number[];
  local?: number[];
  broadcast?: number[];
  /** struct ifa_cacheinfo: changes whenever a router prolongs it. */
  lifetime?: number;
}): Message {
  const head = new DataView(new ArrayBuffer(8));
  head.setUint8(0, address.family ?? 2);
  head.setUint8(1, address.prefix ?? 24);
  head.setUint8(3, address.scope ?? 0);
  head.setUint32(4, address.index ?? 2, true);
  return message(address.type ?? 20, head, [
    address.address && [1, address.address],
    address.local && [2, address.local],
    address.broadcast && [4, address.broadcast],
    address.lifetime !== undefined && [6, [...word(address.lifetime), ...word(1), ...word(2), ...word(3)]],
  ]);
}

/** struct inet_diag_msg */
export function socketMessage(socket: {
  family?: number;
  state?: number;
  localPort?: number;
  remotePort?: number;
  local?: number[];
  remote?: number[];
  cookie?: bigint;
  uid?: number;
  inode?: number;
}): Message {
  const body = new Uint8Array(72);
  const view = new DataView(body.buffer);
  view.setUint8(0, socket.family ?? 2);
  view.setUint8(1, socket.state ?? 1);
  view.setUint16(4, socket.localPort ?? 80);
  view.setUint16(6, socket.remotePort ?? 0);
  body.set(socket.local ?? [127, 0, 0, 1], 8);
  body.set(socket.remote ?? [0, 0, 0, 0], 24);
  view.setBigUint64(44, socket.cookie ?? 1n, true);
  view.setUint32(64, socket.uid ?? 0, true);
  view.setUint32(68, socket.inode ?? 0, true);
  return { type: 20, body };
}

export interface FakeNetlink extends Netlink {
  /** As if the kernel had announced it. */
  announce(message: Message): void;
  /** As if the kernel had ended it. */
  hangUp(): void;
  following(): number;
  opened(): number;
}

/** A kernel that answers requests with these parts of tables. */
export function fakeNetlink(answer: (type: number, body: Uint8Array) => Message[][]): FakeNetlink {
  let followers: { received: EachMessage; closed(): void }[] = [];
  let open = 0;
  return {
    open() {
      open += 1;
      return {
        *ask(type, body, each) {
          for (const piece of answer(type, body)) {
            for (const { type: kind, body: bytes } of piece) each(viewOf(bytes), 0, bytes.length, kind);
            yield;
          }
          return true;
        },
        find(requests, each) {
          for (const { message, body } of requests) {
            const [found] = answer(message, body).flat();
            if (found === undefined) throw new NetlinkError(2);
            each(viewOf(found.body), 0, found.body.length, found.type);
          }
        },
        close() {
          open -= 1;
        },
      };
    },
    async follow(_groups, received, closed) {
      const follower = { received, closed };
      followers.push(follower);
      return () => {
        followers = followers.filter((other) => other !== follower);
      };
    },
    announce({ type, body }) {
      for (const { received } of followers) received(viewOf(body), 0, body.length, type);
    },
    hangUp() {
      const ended = followers;
      followers = [];
      for (const { closed } of ended) closed();
    },
    following: () => followers.length,
    opened: () => open,
  };
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

type Attribute = [type: number, bytes: number[]];

function message(type: number, head: DataView, attributes: (Attribute | false | undefined)[]): Message {
  const bytes = [...new Uint8Array(head.buffer)];
  for (const attribute of attributes) {
    if (!attribute) continue;
    const [kind, value] = attribute;
    const length = 4 + value.length;
    bytes.push(length & 0xff, length >> 8, kind & 0xff, kind >> 8, ...value);
    while (bytes.length % 4 !== 0) bytes.push(0);
  }
  return { type, body: Uint8Array.from(bytes) };
}

function word(value: number): number[] {
  return [value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24];
}

function longWord(value: number | bigint): number[] {
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setBigUint64(0, BigInt(value), true);
  return [...new Uint8Array(bytes.buffer)];
}
