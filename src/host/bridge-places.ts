/** Where a generation of System Bridge keeps what it was told, the newest first. */
export interface BridgePlace {
  generation: 5 | 4 | 3 | 2;
  /** Absolute. */
  directory: string;
  /** What it calls this machine, by which Home Assistant knows its entities; left out: as we do, or it is not known. */
  identity?: string;
}
