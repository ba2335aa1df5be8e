/** HID devices that exchange reports, such as fan controllers. */
export interface Hid {
  /** null: missing, or not accessible. */
  open(path: string): Promise<HidConnection | null>;
}

/** No call blocks the thread for the device. */
export interface HidConnection {
  /** Sends one report, whose first byte is its number, or 0 for a device without numbers. false: it was not accepted. */
  send(report: Uint8Array): Promise<boolean>;
  /** Reports since the last call, oldest first; the system buffers some dozens. null: the device is gone. */
  received(): Uint8Array[] | null;
  close(): void;
}

/** Lengths of the output reports in bytes, by report number; 0 where they have none. */
export type HidOutputs = ReadonlyMap<number, number>;
