import { once } from '../../../lib/lazily.ts';
import { address, pinned } from '../../ffi.ts';
import { libc, openErrno } from '../libc.ts';

/** Has write permission by an ACL. `id` null: the owning group. */
export interface AclWriter {
  kind: 'user' | 'group';
  id: number | null;
}

/**
 * The users and groups, apart from the owner, that the ACL of a file or directory lets write; null: it has no ACL. Throws if the ACL cannot
 * be read. Call it only if the mode lets the group write: with an ACL these bits are its mask, which limits every entry returned here.
 */
export function aclWriters(file: string): AclWriter[] | null {
  const acl = readAcl()(file);
  return acl === null ? null : parseAcl(acl);
}

const tags = { user: 0x02, owningGroup: 0x04, group: 0x08, mask: 0x10 } as const;
const mayWrite = 0x02;
const headerBytes = 4;
const entryBytes = 8;

/** The version, then tag, permissions and ID of each entry. https://man7.org/linux/man-pages/man5/acl.5.html */
export function parseAcl(acl: Uint8Array): AclWriter[] {
  const view = new DataView(acl.buffer, acl.byteOffset, acl.byteLength);
  const writers: AclWriter[] = [];
  for (let at = headerBytes; at + entryBytes <= view.byteLength; at += entryBytes) {
    const tag = view.getUint16(at, true);
    const writes = (view.getUint16(at + 2, true) & mayWrite) !== 0;
    if (tag === tags.mask && !writes) return [];
    if (!writes) continue;
    const id = view.getUint32(at + 4, true);
    if (tag === tags.user) writers.push({ kind: 'user', id });
    if (tag === tags.group) writers.push({ kind: 'group', id });
    if (tag === tags.owningGroup) writers.push({ kind: 'group', id: null });
  }
  return writers;
}

type ReadAcl = (file: string) => Uint8Array | null;

/** XATTR_SIZE_MAX: no attribute is larger. */
const mostBytes = 65_536;
/** ENOENT, ENOTDIR, ENODATA, EOPNOTSUPP: there is no such file, no ACL, or no support for ACLs. */
const none = new Set([2, 20, 61, 95]);

const readAcl = once((): ReadAcl => {
  const { getxattr } = libc;
  const attribute = Buffer.from('system.posix_acl_access\0');
  const errno = openErrno();
  return (file) => {
    const value = pinned(mostBytes);
    const name = Buffer.from(`${file}\0`);
    const length = Number(getxattr(address(name), address(attribute), address(value), mostBytes));
    if (length >= 0) return value.subarray(0, length);
    const code = errno();
    if (none.has(code)) return null;
    throw new Error(`The ACL of ${file} cannot be read (error ${code})`);
  };
});
