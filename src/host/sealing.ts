/** Makes text unreadable for everybody but this user on this machine, also for whoever copies the disk. */
export interface Sealing {
  seal(text: string): Promise<string>;
  /** Throws a sentence where it was sealed by somebody else. */
  open(sealed: string): Promise<string>;
}
