/** Where System Bridge 5 keeps its settings. */
export interface BridgePlace {
  /** Absolute. */
  directory: string;
  /** Its identifier of this machine, by which Home Assistant knows its entities; omitted: the same as ours, or not known. */
  identity?: string;
}
