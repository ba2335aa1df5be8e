/** The system and the administrators. */
const trusted = new Set(['S-1-5-18', 'S-1-5-32-544']);

/** Whether an account is the system, an administrator, or `own`, the account of this process. */
export const isTrustedAccount = (sid: string, own: string | null = null) => sid === own || trusted.has(sid);

/** TrustedInstaller, which owns most of Windows. */
const trustedInstaller = 'S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464';
/** By their SDDL abbreviations: the system, the administrators, and the built-in administrator. */
const administrators = new Set(['SY', 'BA', 'LA', 'S-1-5-18', 'S-1-5-32-544', trustedInstaller]);

/**
 * Rights to make changes, by their names in SDDL, some of which are those of directory services: for files DC is writing, LC appending, RP
 * and CR attributes, DT deleting children. https://learn.microsoft.com/windows/win32/secauthz/ace-strings
 */
const changing = new Set(['GA', 'GW', 'FA', 'FW', 'KA', 'KW', 'SD', 'WD', 'WO', 'DC', 'LC', 'RP', 'CR', 'DT']);
/** Writing, appending, attributes, deleting children, deleting it, its permissions, its owner; and the generic ones. */
const changingBits = 0x0002 | 0x0004 | 0x0010 | 0x0040 | 0x0100 | 0x10000 | 0x40000 | 0x80000 | 0x10000000 | 0x40000000;

/** Deleting children, its permissions, its owner, everything; and deleting it. */
const replacing = new Set(['GA', 'FA', 'KA', 'WD', 'WO', 'DT']);
const replacingBits = 0x0040 | 0x40000 | 0x80000 | 0x10000000;
const deleteBit = 0x10000;

/**
 * The account besides administrators and `own` that may change a file with these rights; null: none. SDDL: `O:BAD:PAI(A;;FA;;;SY)(A;ID;0x1200a9;;;BU)`.
 * https://learn.microsoft.com/windows/win32/secauthz/security-descriptor-string-format
 */
export const otherWriter = (sddl: string, own: string | null = null) => otherWith(mayChange, sddl, own);

/**
 * The account besides them that may move a directory or delete what is in it, whatever the rights of that. A root cannot be moved, and
 * entries for new files only (IO) do not apply to the directory.
 */
export const otherReplacer = (sddl: string, own: string | null, isRoot: boolean) =>
  otherWith((rights, flags) => !pairs(flags).includes('IO') && mayReplace(rights, isRoot), sddl, own);

/** The same for any right at all, such as reading. */
export const otherUser = (sddl: string, own: string | null = null) => otherWith((rights) => rights !== '', sddl, own);

export const isOfAdministrator = (sddl: string) => administrators.has(ownerOf(sddl));

/** Empty: not known. */
const ownerOf = (sddl: string) => /^O:([A-Z]{2}(?![0-9-])|S-[0-9-]+)/.exec(sddl)?.[1] ?? '';

/** OWNER RIGHTS and CREATOR OWNER, which mean the owner. */
const ownerNames = new Set(['OW', 'CO', 'S-1-3-4', 'S-1-3-0']);

function otherWith(
  matters: (rights: string, flags: string) => boolean,
  sddl: string,
  own: string | null,
): string | null {
  const isTrusted = (account: string) => administrators.has(account) || account === own;
  const owner = ownerOf(sddl);
  if (!isTrusted(owner)) return owner === '' ? 'an unknown owner' : owner;
  const list = sddl.indexOf('D:');
  // Without a list every account has all rights.
  if (list < 0 || sddl.startsWith('NO_ACCESS_CONTROL', list + 2)) return 'WD';
  for (const [, type = '', flags = '', rights = '', account = ''] of sddl
    .slice(list)
    .matchAll(/\(([^;)]*);([^;)]*);([^;)]*);[^;)]*;[^;)]*;([^;)]*)[^)]*\)/g)) {
    // Deny entries only remove rights. Inherit-only entries (IO) count as well: they apply to new files in a directory.
    if (type.startsWith('D') || type.startsWith('OD')) continue;
    if (matters(rights, flags) && !isTrusted(account) && !ownerNames.has(account)) return account;
  }
  return null;
}

const mayChange = (rights: string) => hasOneOf(rights, changingBits, changing);

const mayReplace = (rights: string, isRoot: boolean) =>
  hasOneOf(
    rights,
    isRoot ? replacingBits : replacingBits | deleteBit,
    isRoot ? replacing : replacing.union(new Set(['SD'])),
  );

function hasOneOf(rights: string, bits: number, names: ReadonlySet<string>): boolean {
  if (/^(?:0x[0-9a-f]+|\d+)$/i.test(rights)) return (Number(rights) & bits) !== 0;
  return pairs(rights).some((right) => names.has(right));
}

const pairs = (text: string): string[] => [...(text.match(/.{1,2}/g) ?? [])];
