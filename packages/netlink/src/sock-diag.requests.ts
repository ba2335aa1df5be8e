export interface SocketQuery {
  message: number;
  body: Uint8Array;
}

export const AF_INET = 2;
export const AF_INET6 = 10;
const IPPROTO_TCP = 6;
const IPPROTO_UDP = 17;

const TCPDIAG_GETSOCK = 18;
const SOCK_DIAG_BY_FAMILY = 20;

export const TCP_LISTEN = 10;
/** ESTABLISHED (1) to half-open (12). 13 is bound, but neither connected nor listening: no other tool lists it. */
const listedStates = 0x1ffe;

/** struct inet_diag_req, the older request, covers both families: the kernel walks its large table once, not twice. */
export const allTcp: SocketQuery = tcpIn(listedStates);
export const listeningTcp: SocketQuery = tcpIn(1 << TCP_LISTEN);

/** The client side of the TCP connections to this port, from the first packet to the last. */
export const tcpToPort = (port: number): SocketQuery => tcpIn(connectedStates, port);

/** ESTABLISHED, SYN_SENT, FIN_WAIT1, FIN_WAIT2, CLOSE_WAIT, LAST_ACK and CLOSING. */
const connectedStates = (1 << 1) | (1 << 2) | (1 << 4) | (1 << 5) | (1 << 8) | (1 << 9) | (1 << 11);

/** The kernel leaves out sockets with another remote port; 0: none. */
function tcpIn(states: number, remotePort = 0): SocketQuery {
  const body = filled(60, (view) => {
    view.setUint16(6, remotePort);
    view.setUint32(52, states, true);
  });
  return { message: TCPDIAG_GETSOCK, body };
}

/** struct inet_diag_req_v2 */
export function ofFamily(family: number, type: 1 | 2): SocketQuery {
  const body = filled(56, (view) => {
    view.setUint8(0, family);
    view.setUint8(1, type === 1 ? IPPROTO_TCP : IPPROTO_UDP);
    view.setUint32(4, listedStates, true);
  });
  return { message: SOCK_DIAG_BY_FAMILY, body };
}

/** Identity of a socket: the beginning of a message about it, up to its cookie. */
export const identityBytes = 52;

export function aboutOne(identity: Uint8Array): SocketQuery {
  const query = ofFamily(identity[0] ?? AF_INET, 1);
  query.body.set(identity.subarray(4, identityBytes), 8);
  return query;
}

function filled(bytes: number, fill: (view: DataView) => void): Uint8Array {
  const view = new DataView(new ArrayBuffer(bytes));
  fill(view);
  return new Uint8Array(view.buffer);
}
