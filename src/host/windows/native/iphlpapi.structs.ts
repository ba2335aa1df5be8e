import { defineStruct } from './structs.ts';

/** https://learn.microsoft.com/windows/win32/api/iptypes/ns-iptypes-ip_adapter_addresses_lh */
export const IP_ADAPTER_ADDRESSES = defineStruct('IP_ADAPTER_ADDRESSES', 448, {
  IfIndex: [4, 'u32'],
  Next: [8, 'pointer'],
  FirstUnicastAddress: [24, 'pointer'],
  FriendlyName: [72, 'pointer'],
  PhysicalAddress: [80, 'bytes 8'],
  PhysicalAddressLength: [88, 'u32'],
  Flags: [92, 'u32'],
  Mtu: [96, 'u32'],
  IfType: [100, 'u32'],
  OperStatus: [104, 'u32'],
  Ipv6IfIndex: [108, 'u32'],
  TransmitLinkSpeed: [184, 'u64'],
  FirstGatewayAddress: [208, 'pointer'],
  Ipv4Metric: [216, 'u32'],
  Ipv6Metric: [220, 'u32'],
});

export const IP_ADAPTER_UNICAST_ADDRESS = defineStruct('IP_ADAPTER_UNICAST_ADDRESS', 64, {
  Next: [8, 'pointer'],
  'Address.lpSockaddr': [16, 'pointer'],
  OnLinkPrefixLength: [56, 'u8'],
});

export const IP_ADAPTER_GATEWAY_ADDRESS_LH = defineStruct('IP_ADAPTER_GATEWAY_ADDRESS_LH', 32, {
  Next: [8, 'pointer'],
  'Address.lpSockaddr': [16, 'pointer'],
});

/** https://learn.microsoft.com/windows/win32/api/netioapi/ns-netioapi-mib_if_row2 */
export const MIB_IF_ROW2 = defineStruct('MIB_IF_ROW2', 1352, {
  InterfaceIndex: [8, 'u32'],
  InterfaceGuid: [12, 'bytes 16'],
  InterfaceAndOperStatusFlags: [1152, 'bytes 1'],
  InOctets: [1208, 'u64'],
  InUcastPkts: [1216, 'u64'],
  InNUcastPkts: [1224, 'u64'],
  InDiscards: [1232, 'u64'],
  InErrors: [1240, 'u64'],
  OutOctets: [1280, 'u64'],
  OutUcastPkts: [1288, 'u64'],
  OutNUcastPkts: [1296, 'u64'],
  OutDiscards: [1304, 'u64'],
  OutErrors: [1312, 'u64'],
});

/** Ports are in the order of the network, in the first two of four bytes. */
export const MIB_TCPROW_OWNER_PID = defineStruct('MIB_TCPROW_OWNER_PID', 24, {
  dwState: [0, 'u32'],
  dwLocalAddr: [4, 'u32'],
  dwLocalPort: [8, 'u32'],
  dwRemoteAddr: [12, 'u32'],
  dwRemotePort: [16, 'u32'],
  dwOwningPid: [20, 'u32'],
});

export const MIB_TCP6ROW_OWNER_PID = defineStruct('MIB_TCP6ROW_OWNER_PID', 56, {
  ucLocalAddr: [0, 'bytes 16'],
  dwLocalPort: [20, 'u32'],
  ucRemoteAddr: [24, 'bytes 16'],
  dwRemotePort: [44, 'u32'],
  dwState: [48, 'u32'],
  dwOwningPid: [52, 'u32'],
});

export const MIB_UDPROW_OWNER_PID = defineStruct('MIB_UDPROW_OWNER_PID', 12, {
  dwLocalAddr: [0, 'u32'],
  dwLocalPort: [4, 'u32'],
  dwOwningPid: [8, 'u32'],
});

export const MIB_UDP6ROW_OWNER_PID = defineStruct('MIB_UDP6ROW_OWNER_PID', 28, {
  ucLocalAddr: [0, 'bytes 16'],
  dwLocalPort: [20, 'u32'],
  dwOwningPid: [24, 'u32'],
});
