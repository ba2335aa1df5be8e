/** One method of one object on a bus. */
export interface BusCall {
  destination: string;
  path: string;
  interface: string;
  member: string;
  /** D-Bus signature of `body`, such as `susssasa{sv}i`. */
  signature?: string;
  /** Dictionaries are objects; a `v` takes a plain value, or `variant()` where its type matters. */
  body?: unknown[];
  /** Every call has one, connecting included; 5 s unless said otherwise. */
  timeoutMs?: number;
}

/** Which signals to follow; what is left out matches everything. */
export interface SignalMatch {
  /** A well-known name means whoever owns it when the signal is sent. */
  sender?: string;
  path?: string;
  pathNamespace?: string;
  interface: string;
  member?: string;
  /** First argument, for NameOwnerChanged and PropertiesChanged. */
  arg0?: string;
  /** First argument is this bus name or one below it: `org.mpris.MediaPlayer2` also means `org.mpris.MediaPlayer2.vlc`. */
  arg0Namespace?: string;
}

export interface Signal {
  sender: string;
  path: string;
  interface: string;
  member: string;
  body: unknown[];
}

/**
 * A bus we connect to at the first call, and come back to after it was restarted, with what was subscribed.
 * Without a subscription we leave it some time after the last call: who needs the connection to stay, subscribes.
 */
export interface Bus {
  /**
   * The values of the reply: variants unwrapped, dictionaries as objects without a prototype, bytes as Uint8Array,
   * 64-bit numbers as bigint only where a number would lose digits. Throws BusError.
   */
  call(call: BusCall): Promise<unknown[]>;
  /** Follows signals until the returned function is called; also over restarts of the bus. Throws BusError where there is no bus. */
  subscribe(match: SignalMatch, onSignal: (signal: Signal) => void): Promise<() => void>;
  /**
   * Calls back each time the connection was lost and found again: what was known from signals is to be read anew.
   * `lost` is called at the loss itself, for who must not go on telling what was true before.
   */
  onReconnected(callback: () => void, lost?: () => void): () => void;
  close(): void;
}

/** One on which others find objects of ours. */
export interface OfferingBus extends Bus {
  /** What the bus calls us; null: we are not connected. */
  name(): string | null;
  /** Tells everybody who listens; nothing happens while we are not connected. */
  emit(signal: OfferedSignal): void;
}

/** Ours, to be sent. */
export interface OfferedSignal extends Pick<BusCall, 'path' | 'interface' | 'member' | 'signature' | 'body'> {}

export interface Dbus {
  system: Bus;
  session: Bus;
}

/** A value that is sent as a variant of this type: `variant('y', 2)`, where a plain 2 would go as `i`. */
export function variant(signature: string, value: unknown): Variant {
  return { [variantSignature]: signature, value };
}

export interface Variant {
  [variantSignature]: string;
  value: unknown;
}

/** A symbol, so that no dictionary from outside can pass for a variant. */
export const variantSignature = Symbol('signature of a variant');

/** `errorName` is the D-Bus error name, or one of ours: Client.NoBus, Client.Timeout, Client.Disconnected, Client.Invalid. */
export class BusError extends Error {
  override readonly name = 'BusError';
  readonly errorName: string;

  constructor(errorName: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.errorName = errorName;
  }
}
