import { defineStruct } from '../../../host/windows/native/structs.ts';

/** How long reports are. https://learn.microsoft.com/windows-hardware/drivers/ddi/hidpi/ns-hidpi-_hidp_caps */
export const HIDP_CAPS = defineStruct('HIDP_CAPS', 64, {
  OutputReportByteLength: [6, 'u16'],
  NumberOutputValueCaps: [54, 'u16'],
});

/** https://learn.microsoft.com/windows-hardware/drivers/ddi/hidpi/ns-hidpi-_hidp_value_caps */
export const HIDP_VALUE_CAPS = defineStruct('HIDP_VALUE_CAPS', 72, { ReportID: [2, 'u8'] });
