/** What a platform implements. */
export interface Opener {
  /** null: a desktop can open addresses and files. */
  unavailable(): Promise<string | null>;
  /** Opens a checked address or path with the default program of the user. */
  open(target: string): Promise<void>;
}
