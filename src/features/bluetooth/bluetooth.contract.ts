import type {
  BluetoothOrderInput,
  BluetoothOrderOutput,
  BluetoothPowerInput,
  BluetoothPowerOutput,
} from './bluetooth.schema.ts';

/** What a platform implements. Each method throws a ServiceError with a reason if it fails. */
export interface BluetoothControl {
  unavailable(): Promise<string | null>;
  /** Paired devices only. Resolves when done, or after a timeout. */
  connect(which: BluetoothOrderInput): Promise<BluetoothOrderOutput>;
  disconnect(which: BluetoothOrderInput): Promise<BluetoothOrderOutput>;
  power(which: BluetoothPowerInput): Promise<BluetoothPowerOutput>;
}
