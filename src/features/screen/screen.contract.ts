export interface ScreenCamera {
  /** null: pictures can be taken. */
  unavailable(): Promise<string | null>;
  /**
   * Throws a ServiceError, whose cause is a UserRefused if the desktop has prompted the user. The picture is not stored. The signal
   * closes the prompt of the desktop.
   */
  take(wanted: WantedPicture, signal: AbortSignal): Promise<TakenPicture>;
  /** Shows a notice to the user at the screen. Rejects if it cannot be shown. */
  notify(title: string, text: string): Promise<void>;
}

export interface WantedPicture {
  /** null: the primary display. */
  display: string | null;
  activeWindow: boolean;
  format: 'png' | 'webp';
  /** Pixels; null: not scaled. */
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
