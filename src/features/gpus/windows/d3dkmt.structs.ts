import { defineStruct } from '../../../host/windows/native/structs.ts';

/**
 * What the graphics kernel counts; `Type` says which of the answers is in it. RunningTime is hundreds of nanoseconds.
 * https://learn.microsoft.com/windows-hardware/drivers/ddi/d3dkmthk/ns-d3dkmthk-_d3dkmt_querystatistics
 */
export const D3DKMT_QUERYSTATISTICS = defineStruct(
  'D3DKMT_QUERYSTATISTICS',
  808,
  {
    Type: [0, 'u32'],
    AdapterLuid: [4, 'bytes 8'],
    'QueryResult.AdapterInformation.NbSegments': [24, 'u32'],
    'QueryResult.AdapterInformation.NodeCount': [28, 'u32'],
    'QueryResult.SegmentInformation.CommitLimit': [24, 'u64'],
    'QueryResult.SegmentInformation.BytesResident': [40, 'u64'],
    'QueryResult.SegmentInformation.Aperture': [64, 'u32'],
    'QueryResult.NodeInformation.GlobalInformation.RunningTime': [24, 'i64'],
    'QuerySegment.SegmentId': [800, 'u32'],
    'QueryNode.NodeId': [800, 'u32'],
  },
  { headers: 'wine' },
);

export const D3DKMT_OPENADAPTERFROMLUID = defineStruct(
  'D3DKMT_OPENADAPTERFROMLUID',
  12,
  { AdapterLuid: [0, 'bytes 8'], hAdapter: [8, 'u32'] },
  { headers: 'wine' },
);

export const D3DKMT_QUERYADAPTERINFO = defineStruct(
  'D3DKMT_QUERYADAPTERINFO',
  24,
  { hAdapter: [0, 'u32'], Type: [4, 'u32'], pPrivateDriverData: [8, 'pointer'], PrivateDriverDataSize: [16, 'u32'] },
  { headers: 'wine' },
);

/** https://learn.microsoft.com/windows-hardware/drivers/ddi/d3dkmthk/ns-d3dkmthk-_d3dkmt_adapteraddress */
export const D3DKMT_ADAPTERADDRESS = defineStruct(
  'D3DKMT_ADAPTERADDRESS',
  12,
  { BusNumber: [0, 'u32'], DeviceNumber: [4, 'u32'], FunctionNumber: [8, 'u32'] },
  { headers: 'neither' },
);

/**
 * Frequencies in Hz, temperature in tenths of °C, power in tenths of a percent of what the board may draw.
 * https://learn.microsoft.com/windows-hardware/drivers/ddi/d3dkmthk/ns-d3dkmthk-_d3dkmt_adapter_perfdata
 */
export const D3DKMT_ADAPTER_PERFDATA = defineStruct(
  'D3DKMT_ADAPTER_PERFDATA',
  64,
  {
    PhysicalAdapterIndex: [0, 'u32'],
    MemoryFrequency: [8, 'u64'],
    FanRPM: [48, 'u32'],
    Power: [52, 'u32'],
    Temperature: [56, 'u32'],
  },
  { headers: 'neither' },
);

/** Of one engine. https://learn.microsoft.com/windows-hardware/drivers/ddi/d3dkmthk/ns-d3dkmthk-_d3dkmt_node_perfdata */
export const D3DKMT_NODE_PERFDATA = defineStruct(
  'D3DKMT_NODE_PERFDATA',
  56,
  { NodeOrdinal: [0, 'u32'], PhysicalAdapterIndex: [4, 'u32'], Frequency: [8, 'u64'] },
  { headers: 'neither' },
);
