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
  /** Timeout of the call, connecting included; 5 s by default. */
  timeoutMs?: number;
}

/** Which signals to follow; what is left out matches everything. */
export interface SignalMatch {
  /** A well-known name matches its owner at the time of the signal. */
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
 * A bus that connects at the first call, and reconnects with its subscriptions after a restart of the daemon.
 * Without a subscription it disconnects some time after the last call: to keep the connection, subscribe.
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
   * Calls back after each reconnection: state known from signals must be read again.
   * `lost` is called at the loss itself, for callers that must not report outdated state.
   */
  onReconnected(callback: () => void, lost?: () => void): () => void;
  /** The error of the last connection attempt, while calls fail with it without another attempt; null: a call would connect. */
  unreachable?(): unknown;
  /** Forgets a failed attempt: the next call connects. */
  forgetFailure?(): void;
  close(): void;
}

/** A bus with exported objects. */
export interface OfferingBus extends Bus {
  /** Our unique name; null: not connected. */
  name(): string | null;
  /** Broadcasts a signal; does nothing while disconnected. */
  emit(signal: OfferedSignal): void;
}

export interface OfferedSignal extends Pick<BusCall, 'path' | 'interface' | 'member' | 'signature' | 'body'> {}

export interface Dbus {
  system: Bus;
  session: Bus;
}

export const busDaemon = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
} as const;

/** A value that is sent as a variant of this type: `variant('y', 2)`, where a plain 2 would be sent as `i`. */
export function variant(signature: string, value: unknown): Variant {
  return { [variantSignature]: signature, value };
}

export interface Variant {
  [variantSignature]: string;
  value: unknown;
}

/** A symbol, so that no dictionary from outside can pass for a variant. */
export const variantSignature = Symbol('signature of a variant');

/** `errorName` is the D-Bus error name, or one of ours: Client.NoBus, Client.Timeout, Client.Disconnected, Client.Invalid, Client.TooLong. */
export class BusError extends Error {
  override readonly name = 'BusError';
  readonly errorName: string;

  constructor(errorName: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.errorName = errorName;
  }
}
