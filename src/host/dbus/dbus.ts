/** One method of one object on a bus. */
export interface BusCall {
  destination: string;
  path: string;
  interface: string;
  member: string;
  /** D-Bus signature of `body`, such as `susssasa{sv}i`. */
  signature?: string;
  body?: unknown[];
  /** Every call has one; 5 s unless said otherwise. */
  timeoutMs?: number;
}

/** Which signals to follow; what is left out matches everything. */
export interface SignalMatch {
  sender?: string;
  path?: string;
  pathNamespace?: string;
  interface: string;
  member?: string;
  /** First argument, for NameOwnerChanged and PropertiesChanged. */
  arg0?: string;
}

export interface Signal {
  sender: string;
  path: string;
  interface: string;
  member: string;
  body: unknown[];
}

/** A bus we connect to at the first call, and come back to after it was restarted, with what was subscribed. */
export interface Bus {
  /** The values of the reply. Variants arrive unwrapped, dictionaries as objects. Throws BusError. */
  call(call: BusCall): Promise<unknown[]>;
  /** Follows signals until the returned function is called; also over restarts of the bus. */
  subscribe(match: SignalMatch, onSignal: (signal: Signal) => void): Promise<() => void>;
  /** Calls back each time the connection was lost and found again: what was known from signals is to be read anew. */
  onReconnected(callback: () => void): () => void;
  close(): void;
}

export interface Dbus {
  system: Bus;
  session: Bus;
}

/** `name` is the D-Bus error name, or one of ours: Hostler.NoBus, Hostler.Timeout, Hostler.Disconnected, Hostler.Invalid. */
export class BusError extends Error {
  override readonly name = 'BusError';
  readonly errorName: string;

  constructor(errorName: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.errorName = errorName;
  }
}
