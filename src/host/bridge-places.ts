/** Where a generation of System Bridge keeps what it was told, the newest first. */
export interface BridgePlace {
  generation: 5 | 4 | 3 | 2;
  /** Absolute. */
  directory: string;
}
