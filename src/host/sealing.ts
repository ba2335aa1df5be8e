/** Encrypts text for this user on this machine; a copy of the disk does not reveal it. */
export interface Sealing {
  seal(text: string): Promise<string>;
  /** Throws a sentence where another user sealed it. */
  open(sealed: string): Promise<string>;
}
