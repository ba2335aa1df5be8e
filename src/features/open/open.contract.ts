/** What a platform implements. */
export interface Opener {
  /** null: there is a desktop that opens things. */
  unavailable(): Promise<string | null>;
  /** A checked address or path, with the program that the user prefers for it. */
  open(target: string): Promise<void>;
}
