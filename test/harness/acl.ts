import { address } from '../../src/host/ffi.ts';
import { libc } from '../../src/host/linux/libc.ts';

export const aclTags = { owner: 0x01, user: 0x02, owningGroup: 0x04, group: 0x08, mask: 0x10, others: 0x20 } as const;
export type AclEntry = [tag: keyof typeof aclTags, permissions: number, id?: number];

/** An ACL as the kernel stores it. https://man7.org/linux/man-pages/man5/acl.5.html */
export function aclBytes(entries: AclEntry[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(4 + 8 * entries.length));
  view.setUint32(0, 2, true);
  for (const [index, [tag, permissions, id = 0xffff_ffff]] of entries.entries()) {
    view.setUint16(4 + 8 * index, aclTags[tag], true);
    view.setUint16(6 + 8 * index, permissions, true);
    view.setUint32(8 + 8 * index, id, true);
  }
  return new Uint8Array(view.buffer);
}

/** Adds these entries to the permissions 0770, with a mask that allows everything; false: the file system has no ACLs. */
export function setAcl(file: string, ...entries: AclEntry[]): boolean {
  const { setxattr } = libc;
  const order = Object.keys(aclTags);
  const all: AclEntry[] = [['owner', 7], ['owningGroup', 0], ['mask', 7], ['others', 0], ...entries];
  const acl = aclBytes(all.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b)));
  const name = Buffer.from('system.posix_acl_access\0');
  const place = Buffer.from(`${file}\0`);
  return setxattr(address(place), address(name), address(acl), acl.length, 0) === 0;
}
