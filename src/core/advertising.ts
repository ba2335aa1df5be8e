/** Identity and network of this machine for other hosts on the link; never a secret. */
export interface AdvertisedFacts {
  hostname: string;
  fqdn: string;
  uuid: string;
  mac: string;
  /** The address to connect to; IPv4 if there is one. */
  ip: string;
  /** All addresses to connect to. */
  addresses: readonly string[];
  through: string[];
}

/** Provided by the platform; `follow` notifies of changes and returns the function that stops it. */
export interface Advertising {
  facts(isUsed: (address: string) => boolean): AdvertisedFacts;
  follow(changed: () => void): () => void;
}
