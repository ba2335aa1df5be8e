import fs from 'node:fs';
import { type Peer, PeerRefusal, type VerifyPeer } from '@hostler/io/local-socket.ts';
import { once } from '../../lib/lazily.ts';
import { address, pinned } from '../ffi.ts';
import { libc } from './libc.ts';
import { parsePasswd } from './passwd.ts';
import { createUnmappedUser } from './proc/user-namespace.ts';

/** Accepted besides our own user, by the name of the account. */
const accounts: Record<Peer, readonly string[]> = {
  self: [],
  'self-or-root': ['root'],
  // dbus-daemon of Debian and its derivatives, and of the others; systemd listens as root.
  'system-bus': ['root', 'messagebus', 'dbus'],
  // PulseAudio for the whole machine.
  sound: ['root', 'pulse'],
};

export interface PeerRules {
  me: number;
  /** The user of the listener; null: not reported by the kernel. */
  peerOf(descriptor: number): number | null;
  passwd(): string;
  isUnmapped(uid: number): boolean;
}

/**
 * SO_PEERCRED of a connection names the user whose process called listen(2): it cannot be changed by replacing the file of the socket after the
 * check. https://man7.org/linux/man-pages/man7/unix.7.html
 */
export function createVerifyPeer({ me, peerOf, passwd, isUnmapped }: PeerRules): VerifyPeer {
  return (descriptor, path, peer) => {
    const refuse = (owner: string) => {
      const wanted = expected(peer, me, parsePasswd(passwd()));
      throw new PeerRefusal(
        `the server at ${path.replace('\0', '@')} belongs to ${owner}, not to ${wanted}; it is not used`,
      );
    };
    const uid = peerOf(descriptor);
    if (uid === null) return refuse('a user that the kernel does not report');
    if (isUnmapped(uid)) return refuse(`user ${uid}, to which all users outside of this user namespace are mapped`);
    if (uid === me) return;
    // Root is defined by its uid, not by its name.
    const name = uid === 0 ? 'root' : parsePasswd(passwd()).get(uid);
    if (name !== undefined && (name !== 'root' || uid === 0) && accounts[peer].includes(name)) return;
    refuse(name === undefined ? `user ${uid}` : `user ${name} (${uid})`);
  };
}

function expected(peer: Peer, me: number, names: Map<number, string>): string {
  const known = new Set(names.values());
  const others = accounts[peer].filter((name) => name === 'root' || known.has(name));
  const own = `this user (${names.get(me) ?? me})`;
  return [own, ...others.filter((name) => me !== 0 || name !== 'root')].join(' or ');
}

export const verifyPeer: VerifyPeer = createVerifyPeer({
  me: process.getuid?.() ?? 0,
  peerOf: (descriptor) => peerUser()(descriptor),
  passwd: () => (fs.existsSync('/etc/passwd') ? fs.readFileSync('/etc/passwd', 'utf8') : ''),
  isUnmapped: createUnmappedUser(),
});

const SOL_SOCKET = 1;
const SO_PEERCRED = 17;
/** struct ucred: process, user, group. */
const credentialBytes = 12;
const unknownUser = 0xffff_ffff;

const peerUser = once((): PeerRules['peerOf'] => {
  const { getsockopt } = libc;
  const credentials = new DataView(pinned(credentialBytes).buffer);
  const into = new Uint8Array(credentials.buffer);
  const length = pinned(4);
  return (descriptor) => {
    length[0] = credentialBytes;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, address(into), address(length)) !== 0) return null;
    const uid = credentials.getUint32(4, true);
    return uid === unknownUser ? null : uid;
  };
});
