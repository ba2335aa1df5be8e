/** DNS messages, as far as discovery needs them. RFC 1035, RFC 6762. */
export interface DnsMessage {
  id: number;
  isResponse: boolean;
  questions: DnsQuestion[];
  answers: DnsRecord[];
  authorities: DnsRecord[];
  additionals: DnsRecord[];
}

export interface DnsQuestion {
  name: DnsName;
  type: number;
}

export interface DnsRecord {
  name: DnsName;
  type: number;
  /** Cache-flush: replaces the known records of this name, which has one owner. */
  unique: boolean;
  /** Seconds; 0: withdrawn. */
  ttl: number;
  /** Wire format, with names uncompressed. */
  data: Uint8Array;
}

/** Labels, so that a label may contain a dot. */
export type DnsName = readonly string[];

export const recordTypes = { A: 1, PTR: 12, TXT: 16, AAAA: 28, SRV: 33, ANY: 255 } as const;

export const classInternet = 1;
/** The top bit of a class: cache-flush in a record, unicast response in a question. */
export const topBit = 0x8000;

export const emptyMessage: DnsMessage = {
  id: 0,
  isResponse: false,
  questions: [],
  answers: [],
  authorities: [],
  additionals: [],
};

export const sameName = (a: DnsName, b: DnsName) =>
  a.length === b.length && a.every((label, index) => label.toLowerCase() === b[index]?.toLowerCase());

export const nameKey = (name: DnsName) => name.map((label) => label.toLowerCase()).join('\0');

/** Whether two records are equal apart from their TTL. */
export const recordKey = ({ name, type, data }: DnsRecord) =>
  `${nameKey(name)}\0${type}\0${Buffer.from(data).toString('latin1')}`;

export interface ServiceData {
  port: number;
  target: DnsName;
}
