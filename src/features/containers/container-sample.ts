/** What the kernel counted for one container since its start. null: it does not tell. */
export interface ContainerSample {
  /** Seconds of processor time. */
  cpu: number | null;
  /** Bytes, cache included. */
  memory: number | null;
  /** Bytes of it that are cache the kernel could drop at once. */
  droppable: number | null;
  disk: { read: number; written: number } | null;
  network: { received: number; sent: number } | null;
}
