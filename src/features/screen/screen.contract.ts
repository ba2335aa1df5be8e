/** What a platform implements. */
export interface ScreenCamera {
  /** null: there is a screen of which pictures can be taken. */
  unavailable(): Promise<string | null>;
  /**
   * Throws a ServiceError with a sentence, whose cause is a UserRefused where the desktop has asked. Nothing of the picture is kept. The signal
   * takes the question of the desktop off the screen.
   */
  take(wanted: WantedPicture, signal: AbortSignal): Promise<TakenPicture>;
  /** Says something to whoever sits there. Rejects with a sentence where nobody can be told. */
  tell(title: string, text: string): Promise<void>;
}

export interface WantedPicture {
  /** null: the primary one. */
  display: string | null;
  activeWindow: boolean;
  format: 'png' | 'webp';
  /** Pixels; null: as it is. */
  maxWidth: number | null;
  mostBytes: number;
}

export interface TakenPicture {
  /** null: a window, or all displays together. */
  display: string | null;
  format: WantedPicture['format'];
  bytes: Uint8Array;
  width: number;
  height: number;
}
