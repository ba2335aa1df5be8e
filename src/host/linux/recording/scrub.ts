import path from 'node:path';
import { createTextScrubber } from '../../recording/scrub-text.ts';

export type Scrubber = ReturnType<typeof createScrubber>;

export interface Identity {
  hostname: string;
  home: string;
  userName: string;
  /** /etc/passwd, for the names of users. */
  accounts: string;
  searchDomains: string[];
  files: ReadonlyMap<string, Buffer>;
}

export function createScrubber(identity: Identity) {
  const { hostname, home, searchDomains, files } = identity;
  const textOf = (file: string) => files.get(file)?.toString('latin1') ?? '';
  const scrubber = createTextScrubber({
    hostname,
    searchDomains: [
      ...searchDomains,
      ...domainsIn(textOf('/etc/hosts'), hostname),
      textOf('/proc/sys/kernel/domainname').trim().replace('(none)', ''),
    ],
    people: peopleOf(identity),
    homes: [home, ...accountsOfPeople(identity.accounts).map(({ home }) => home)],
    serials: serialsIn(files),
  });
  const { text } = scrubber;
  const hidden = (value: string) =>
    scrubber.standInFor('what was playing, and names of devices and connections', value, (number) => `text ${number}`);
  const answer = (value: unknown, key = ''): unknown => {
    if (typeof value === 'string') return isPrivateKey(key) && value !== '' ? hidden(value) : text(value);
    if (Array.isArray(value)) return value.map((entry) => answer(entry, key));
    if (value === null || typeof value !== 'object') return value;
    const isNamed = (name: string) =>
      (name === 'Name' && key === 'org.bluez.Device1') || (/^(Id|Uuid)$/.test(name) && 'SpecificObject' in value);
    return Object.fromEntries(
      Object.entries(value).map(([name, entry]) => [text(name), answer(entry, isNamed(name) ? 'Alias' : name)]),
    );
  };
  return {
    text,
    link: (file: string, target: string) =>
      /^\/proc\/\d+(\/task\/\d+)?\/cwd$/.test(file) && target !== '/' && target !== home
        ? scrubber.standInFor('working directory', target, (number) => `/directory${number}`)
        : text(target),
    file(file: string, bytes: Buffer): Buffer {
      if (path.basename(file) === 'edid') return scrubEdid(bytes);
      const own = rules.find(({ of }) => of.test(file));
      const given = bytes.toString('latin1');
      const prepared = own?.change?.(given, hostname) ?? given;
      if (/^\/proc\/(\d+\/|self\/|thread-self\/)?net\//.test(file))
        return Buffer.from(scrubber.kernelTable(prepared), 'latin1');
      return Buffer.from(own?.inPlace ? scrubber.inPlace(prepared) : scrubber.latin(prepared), 'latin1');
    },
    /** An answer of a bus, as JSON. */
    answer,
    replaced: scrubber.replaced,
  };
}

/** Titles, artists, covers and ids of tracks; names and ids of headsets and connections. */
const isPrivateKey = (key: string) =>
  /^(xesam:|mpris:(artUrl|trackid)$|(Serial|Model|WWN|Alias|NativePath)$)/.test(key);

interface FileRule {
  of: RegExp;
  change?(text: string, hostname: string): string;
  /** Tables of records with fixed offsets. */
  inPlace?: boolean;
}

const rules: FileRule[] = [
  // Arguments contain passwords, addresses and file names; the name identifies the program.
  {
    of: /^\/proc\/\d+(\/task\/\d+)?\/cmdline$/,
    change: (text) => (text === '' ? '' : `${text.split(/[\0\s]/)[0]}\0`),
  },
  { of: /^\/proc\/\d+(\/task\/\d+)?\/environ$/, change: () => '' },
  { of: /^\/proc\/cmdline$/, change: (text) => text.replace(/=\S+/g, '=-') },
  { of: /^\/etc\/passwd$/, change: withoutFullNames },
  { of: /^\/etc\/hosts$/, change: withoutOtherHosts },
  { of: /\/mountinfo$/, change: withoutServers },
  { of: /\/vpd_pg(80|83|0)$/, change: (text) => '\0'.repeat(text.length) },
  { of: /\/(utmp|wtmp|utmpx)$/, inPlace: true },
];

function withoutFullNames(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const [name, , uid, gid, , home, shell] = line.split(':');
      return shell === undefined ? '' : [name, 'x', uid, gid, '', home, shell].join(':');
    })
    .filter((line) => line !== '')
    .join('\n')
    .concat('\n');
}

/** Only this machine and localhost, without comments: the other names are those of a home or a company. */
function withoutOtherHosts(text: string, hostname: string): string {
  const own = hostname.split('.')[0] ?? '';
  return hostLines(text)
    .map(([address, ...names]) => [
      address,
      ...names.filter((name) => isLocalhost.test(name)),
      // In the spelling that is replaced.
      ...names.filter((name) => isOwn(name, hostname)).map((name) => `${own}${name.slice(own.length)}`),
    ])
    .filter((words) => words.length > 1)
    .map((words) => `${words.join(' ')}\n`)
    .join('');
}

/** Domains of this machine's names in /etc/hosts. */
const domainsIn = (hosts: string, hostname: string) =>
  hostLines(hosts)
    .flatMap(([, ...names]) => names)
    .filter((name) => isOwn(name, hostname))
    .map((name) => name.slice(name.indexOf('.') + 1 || name.length));

const hostLines = (text: string) => text.split('\n').map((line) => (line.split('#')[0] ?? '').trim().split(/\s+/));

const isLocalhost = /^(?:ip6-)?localhost\d?(?:\.|$)/i;

const isOwn = (name: string, hostname: string) => !isLocalhost.test(name) && labelOf(name) === labelOf(hostname);

const labelOf = (name: string) => name.toLowerCase().split('.')[0];

function withoutServers(text: string): string {
  return text
    .replace(/ - (\S+) (\S+)/g, (whole, type: string, source: string) => {
      const isShare = /[:@]|^\/\//.test(source) || (/^(?:9p|ceph|fuse)/.test(type) && source.includes('/'));
      return isShare && !source.startsWith('/dev/') ? ` - ${type} server:/share` : whole;
    })
    .replace(/(?<=[ ,](?:username|domain|unc|uname|aname)=)[^,\s]+/g, '-');
}

/** Names of users: accounts other than the system's, our own, and their home directories. */
function peopleOf({ accounts, userName, home }: Identity): string[] {
  const listed = accountsOfPeople(accounts);
  const own = userName === 'root' ? [] : [userName];
  const homes = [home, ...listed.map((account) => account.home)].filter((place) => !isOfSystem.test(place));
  return [...own, ...homes.map((place) => path.basename(place)), ...listed.map(({ name }) => name)];
}

/** Homes of services, whose names are those of programs. */
const isOfSystem = /^\/(?:(?:root|var|usr|run|opt|tmp|nonexistent|dev|bin|sbin)(?:\/|$)|$)/;

function accountsOfPeople(accounts: string): { name: string; home: string }[] {
  return accounts.split('\n').flatMap((line) => {
    const [name = '', , uid = '', , , home = ''] = line.split(':');
    return Number(uid) >= 1000 && Number(uid) < 65534 ? [{ name, home }] : [];
  });
}

const serialFiles =
  /\/(serial|serial_number|product_serial|board_serial|chassis_serial|product_asset_tag|board_asset_tag|chassis_asset_tag|wwid|wwn|eui|nguid|unique_id|uniq|cid)$/;
/** Placeholders of vendors instead of a serial number. */
const noSerial =
  /^(none|null|n\/a|not (specified|available)|to be filled.*|default string|system serial.*|unknown|0+|x+)$/i;

function serialsIn(files: ReadonlyMap<string, Buffer>): string[] {
  const found = new Set<string>();
  for (const [file, bytes] of files) {
    const text = bytes.toString('latin1');
    if (serialFiles.test(file)) found.add(text.trim());
    if (file.endsWith('/uevent'))
      for (const [, serial = ''] of text.matchAll(/^[A-Z_]*(?:SERIAL[A-Z_]*|UNIQ)="?([^"\n]*)/gm))
        found.add(serial.trim());
  }
  return [...found].filter((serial) => !noSerial.test(serial));
}

const blockBytes = 128;
const edidDescriptors = [54, 72, 90, 108];
const serialText = 0xff;

/** An EDID without its serial numbers. https://en.wikipedia.org/wiki/Extended_Display_Identification_Data */
function scrubEdid(bytes: Buffer): Buffer {
  if (bytes.length < blockBytes) return bytes;
  const result = Buffer.from(bytes);
  result.fill(0, 12, 16);
  for (const at of edidDescriptors) {
    // Two zeros and a kind: text, not a mode of the picture.
    if (result.readUInt16LE(at) === 0 && result[at + 3] === serialText)
      result.fill(0x20, at + 5, at + 18).writeUInt8(0x0a, at + 5);
  }
  const sum = result.subarray(0, blockBytes - 1).reduce((total, byte) => total + byte, 0);
  result.writeUInt8((256 - (sum & 255)) & 255, blockBytes - 1);
  return result;
}
