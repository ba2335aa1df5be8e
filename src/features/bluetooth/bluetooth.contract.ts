import type {
  BluetoothOrderInput,
  BluetoothOrderOutput,
  BluetoothPowerInput,
  BluetoothPowerOutput,
} from './bluetooth.schema.ts';

/** What a platform implements. Each throws a ServiceError with a sentence where it does not come true. */
export interface BluetoothControl {
  unavailable(): Promise<string | null>;
  /** Of paired devices only. Resolves when it is done, or when it takes longer. */
  connect(which: BluetoothOrderInput): Promise<BluetoothOrderOutput>;
  disconnect(which: BluetoothOrderInput): Promise<BluetoothOrderOutput>;
  power(which: BluetoothPowerInput): Promise<BluetoothPowerOutput>;
}
