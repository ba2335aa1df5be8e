import { defineInterface } from '../../../host/windows/com/interfaces.ts';

export const INetFwPolicy2 = defineInterface('INetFwPolicy2', '98325047-c671-4174-8d81-defcd3f03186', {
  get_CurrentProfileTypes: [7, 'ptr'],
  get_FirewallEnabled: [8, 'i32', 'ptr'],
  get_BlockAllInboundTraffic: [12, 'i32', 'ptr'],
  get_Rules: [18, 'ptr'],
  get_DefaultInboundAction: [23, 'i32', 'ptr'],
});

export const INetFwRules = defineInterface('INetFwRules', '9c4c6277-5027-441e-afae-ca1f542da009', {
  Add: [8, 'u64'],
  Remove: [9, 'u64'],
});

export const INetFwRule = defineInterface('INetFwRule', 'af230d27-baba-4e42-aced-f524f22cfce2', {
  put_Name: [8, 'u64'],
  put_Description: [10, 'u64'],
  put_ApplicationName: [12, 'u64'],
  put_Direction: [28, 'i32'],
  put_Enabled: [34, 'i16'],
  put_Profiles: [38, 'i32'],
  put_Action: [42, 'i32'],
});
