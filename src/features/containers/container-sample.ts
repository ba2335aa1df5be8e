/** Counters of the kernel for one container since its start. null: not counted. */
export interface ContainerSample {
  /** Seconds of processor time. */
  cpu: number | null;
  /** Bytes, cache included. */
  memory: number | null;
  /** The part of it that is cache the kernel can drop immediately. */
  droppable: number | null;
  disk: { read: number; written: number } | null;
  network: { received: number; sent: number } | null;
}
