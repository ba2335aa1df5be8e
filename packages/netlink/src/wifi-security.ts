/** How a wireless network is secured, by what its access points announce. */
const wifiSecurities = [
  'open',
  'owe',
  'wep',
  'wpa-personal',
  'wpa-enterprise',
  'wpa2-personal',
  'wpa2-enterprise',
  'wpa2-wpa3-personal',
  'wpa3-personal',
  'wpa3-enterprise',
  'other',
] as const;
export type WifiSecurity = (typeof wifiSecurities)[number];

/** IEEE 802.11-2020, 9.4.2.24 */
const elementSsid = 0;
const elementRsn = 48;
const elementVendor = 221;
/** Of Microsoft, type 1: WPA before the standard was finished. */
const wpa1 = [0x00, 0x50, 0xf2, 0x01];
const suiteOui = [0x00, 0x0f, 0xac];
const protectedFramesRequired = 0x40;
const privacyCapability = 0x10;

/** 9.4.2.24.3: keys from a passphrase, from a passphrase that cannot be tried out (SAE), from a server, and without any (OWE). */
const pskSuites = [2, 4, 6, 19, 20];
const saeSuites = [8, 9, 24, 25];
const serverSuites = [1, 3, 5];
const strongServerSuites = [11, 12, 13, 22, 23];
const oweSuite = 18;

/** `elements`: as in a beacon, each of a number, a length and a value. A truncated element ends the list. */
export function parseWifiSecurity(elements: Uint8Array, capability: number): WifiSecurity {
  let rsn: Suites | null = null;
  let old: Suites | null = null;
  for (const { id, value } of eachElement(elements))
    if (id === elementRsn) rsn ??= parseSuites(value, suiteOui);
    else if (id === elementVendor && startsWith(value, wpa1)) old ??= parseSuites(value.subarray(4), wpa1.slice(0, 3));
  if (rsn !== null) return securityOf(rsn);
  if (old !== null) return old.keys.includes(1) ? 'wpa-enterprise' : 'wpa-personal';
  return (capability & privacyCapability) === 0 ? 'open' : 'wep';
}

/** null: it hides its name, by leaving it out or by zeros. */
export function parseSsid(elements: Uint8Array): string | null {
  for (const { id, value } of eachElement(elements))
    if (id === elementSsid) return value.some((byte) => byte !== 0) ? Buffer.from(value.slice(0, 32)).toString() : null;
  return null;
}

function* eachElement(elements: Uint8Array): Generator<{ id: number; value: Uint8Array }> {
  for (let at = 0; at + 2 <= elements.length; ) {
    const [id = 0, length = 0] = elements.subarray(at, at + 2);
    const value = elements.subarray(at + 2, at + 2 + length);
    if (value.length < length) return;
    yield { id, value };
    at += 2 + length;
  }
}

interface Suites {
  /** Numbers of the ways to agree on keys. */
  keys: number[];
  capabilities: number;
}

/** Version, cipher of the group, a list of ciphers, a list of ways to agree on keys, capabilities. */
function parseSuites(value: Uint8Array, oui: readonly number[]): Suites {
  const bytes = new DataView(value.buffer, value.byteOffset, value.byteLength);
  const number = (at: number) => (at + 2 <= value.length ? bytes.getUint16(at, true) : 0);
  const ciphersAt = 6;
  const keysAt = ciphersAt + 2 + 4 * number(ciphersAt);
  const count = number(keysAt);
  const keys: number[] = [];
  for (let at = keysAt + 2; at + 4 <= value.length && keys.length < count; at += 4)
    if (startsWith(value.subarray(at), oui)) keys.push(value[at + 3] ?? 0);
    else keys.push(-1);
  return { keys, capabilities: number(keysAt + 2 + 4 * count) };
}

function securityOf({ keys, capabilities }: Suites): WifiSecurity {
  const has = (suites: readonly number[]) => keys.some((key) => suites.includes(key));
  if (has(saeSuites)) return has(pskSuites) ? 'wpa2-wpa3-personal' : 'wpa3-personal';
  if (has(pskSuites)) return 'wpa2-personal';
  if (has(strongServerSuites)) return 'wpa3-enterprise';
  if (has(serverSuites)) {
    const isNew = !has([1, 3]) && (capabilities & protectedFramesRequired) !== 0;
    return isNew ? 'wpa3-enterprise' : 'wpa2-enterprise';
  }
  return has([oweSuite]) ? 'owe' : 'other';
}

const startsWith = (bytes: Uint8Array, beginning: readonly number[]) =>
  beginning.every((byte, at) => bytes[at] === byte);
