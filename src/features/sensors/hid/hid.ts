/** Devices that speak in reports, such as fan controllers. */
export interface Hid {
  /** null: it is not there, or may not be used. */
  open(path: string): Promise<HidConnection | null>;
}

/** Nothing here ever waits for the device on our thread. */
export interface HidConnection {
  /** Sends one report, whose first byte is its number, or 0 where the device does not number them. false: it was not taken. */
  send(report: Uint8Array): Promise<boolean>;
  /** What has come since the last call, oldest first; the system keeps some dozens at most. null: the device is gone. */
  received(): Uint8Array[] | null;
  close(): void;
}

/** Bytes of the reports that a device takes, by their numbers; 0 where they have none. */
export type HidOutputs = ReadonlyMap<number, number>;
