/** Messages of the domain name system, as far as discovery speaks it. RFC 1035, RFC 6762. */
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
  /** Replaces what was known under this name: nobody else has it. */
  unique: boolean;
  /** Seconds; 0: it is gone. */
  ttl: number;
  /** As it goes over the wire, names in it written out. */
  data: Uint8Array;
}

/** Labels, so that a dot in one of them is no end. */
export type DnsName = readonly string[];

export const recordTypes = { A: 1, PTR: 12, TXT: 16, AAAA: 28, SRV: 33, ANY: 255 } as const;

export const classInternet = 1;
/** The top bit of a class: of a record "unique", of a question "answer me alone". */
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

/** Who says the same under the same name, however long it is good for. */
export const recordKey = ({ name, type, data }: DnsRecord) =>
  `${nameKey(name)}\0${type}\0${Buffer.from(data).toString('latin1')}`;

export interface ServiceData {
  port: number;
  target: DnsName;
}
