import type { Health } from '../disks.schema.ts';

/** The health as a drive reports it. */
export interface DriveReading extends Health {
  /** ATA drives only, defined by the vendor. */
  attributes: DriveAttribute[];
}

export interface DriveAttribute {
  id: number;
  name: string;
  /** 1 to 253, and falling towards the threshold; null: unknown. */
  value: number | null;
  worst: number | null;
  /** At or below it the drive has failed, or is worn out; null: unknown. */
  threshold: number | null;
  raw: number | null;
  /** Reaching the threshold predicts a failure, rather than age. */
  prefail: boolean;
}

/** The names of smartmontools. */
const names: Record<number, string> = {
  1: 'Raw_Read_Error_Rate',
  3: 'Spin_Up_Time',
  4: 'Start_Stop_Count',
  5: 'Reallocated_Sector_Ct',
  7: 'Seek_Error_Rate',
  9: 'Power_On_Hours',
  10: 'Spin_Retry_Count',
  12: 'Power_Cycle_Count',
  177: 'Wear_Leveling_Count',
  184: 'End-to-End_Error',
  187: 'Reported_Uncorrect',
  188: 'Command_Timeout',
  190: 'Airflow_Temperature_Cel',
  192: 'Power-Off_Retract_Count',
  193: 'Load_Cycle_Count',
  194: 'Temperature_Celsius',
  195: 'Hardware_ECC_Recovered',
  196: 'Reallocated_Event_Count',
  197: 'Current_Pending_Sector',
  198: 'Offline_Uncorrectable',
  199: 'UDMA_CRC_Error_Count',
  240: 'Head_Flying_Hours',
  241: 'Total_LBAs_Written',
  242: 'Total_LBAs_Read',
};

/** A number larger than any drive has sectors is vendor-specific. */
export const sectorCount = (raw: number | null) => (raw === null || raw >= 2 ** 32 ? null : raw);

export const rawOf = (attributes: readonly DriveAttribute[], id: number) =>
  attributes.find((attribute) => attribute.id === id)?.raw ?? null;

export const attributeName = (id: number) => names[id] ?? `Unknown_Attribute_${id}`;

/** Attributes that reached a threshold that predicts a failure. A threshold of 0 is never reached. */
export function failedAttributes(attributes: readonly DriveAttribute[]): string[] {
  return attributes
    .filter(({ prefail }) => prefail)
    .filter(
      ({ value, threshold }) =>
        value !== null && value > 0 && threshold !== null && threshold > 0 && value <= threshold,
    )
    .map(({ name }) => name);
}
