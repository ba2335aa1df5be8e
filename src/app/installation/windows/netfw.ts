import { defineLibrary } from '../../../host/native-library.ts';
import { openBstr } from '../../../host/windows/com/bstr.ts';
import { openCom } from '../../../host/windows/com/com.ts';
import { defineInterface } from '../../../host/windows/com/interfaces.ts';

export type Netfw = ReturnType<typeof openNetfw>;

export interface FirewallProfile {
  kind: 'domain' | 'private' | 'public';
  isOn: boolean;
  /** All incoming connections are blocked, whatever the rules say. */
  blocksAll: boolean;
  /** All incoming connections are allowed unless a rule blocks them. */
  allowsByDefault: boolean;
}

const classes = {
  policy: 'e2b3c97f-6ae1-41ac-817a-f6f92166d7dd',
  rule: '2c5bc43e-3369-4c33-ab0c-be9469677af4',
};
const kinds = [
  [1, 'domain'],
  [2, 'private'],
  [4, 'public'],
] as const;
const { PRIVATE, INBOUND, ALLOW, TRUE } = { PRIVATE: 2, INBOUND: 1, ALLOW: 1, TRUE: -1 };
/** HRESULTs of E_ACCESSDENIED and of ERROR_FILE_NOT_FOUND. */
const { DENIED, NOT_FOUND } = { DENIED: 0x80070005, NOT_FOUND: 0x80070002 };

export const netfwLibrary = defineLibrary('netfw', openNetfw);

/** The firewall of Windows. https://learn.microsoft.com/windows/win32/api/netfw/ Its service may be busy, so the calls run in a thread. */
export function openNetfw() {
  const com = openCom();
  const { withTexts } = openBstr();
  /** false: this needs an administrator. */
  const wasDone = (what: string, result: number): boolean => {
    if (result >= 0) return true;
    if (result >>> 0 === DENIED) return false;
    throw new Error(`${what} failed with 0x${(result >>> 0).toString(16).padStart(8, '0')}`);
  };
  return {
    /** The profiles of the networks this machine is connected to. Throws where this Windows has no firewall interface. */
    profiles: (): FirewallProfile[] =>
      com.within((scope) => {
        const policy = scope.create(classes.policy, INetFwPolicy2);
        const current = policy.ask('get_CurrentProfileTypes').u32();
        // A VARIANT_BOOL: 16 bits, all clear or all set.
        const isSet = (method: 'get_FirewallEnabled' | 'get_BlockAllInboundTraffic', bit: number) =>
          (policy.ask(method, bit).u32() & 0xffff) !== 0;
        return kinds
          .filter(([bit]) => (current & bit) !== 0)
          .map(([bit, kind]) => ({
            kind,
            isOn: isSet('get_FirewallEnabled', bit),
            blocksAll: isSet('get_BlockAllInboundTraffic', bit),
            allowsByDefault: policy.ask('get_DefaultInboundAction', bit).u32() === ALLOW,
          }));
      }),
    /** Lets others reach a program on private networks; false: this needs an administrator. Throws if it fails. */
    allow: ({ name, description, program }: Record<'name' | 'description' | 'program', string>): boolean =>
      com.within((scope) => {
        const rules = scope.create(classes.policy, INetFwPolicy2).get(INetFwRules, 'get_Rules');
        if (rules === null) throw new Error('The firewall of Windows has no rules');
        const rule = scope.create(classes.rule, INetFwRule);
        withTexts([name, description, program], (...texts) => {
          rule.call('put_Name', texts[0]);
          rule.call('put_Description', texts[1]);
          rule.call('put_ApplicationName', texts[2]);
        });
        rule.call('put_Direction', INBOUND);
        rule.call('put_Enabled', TRUE);
        rule.call('put_Profiles', PRIVATE);
        rule.call('put_Action', ALLOW);
        return wasDone('Adding a rule to the firewall', rules.attempt('Add', rule.place));
      }),
    /** Removes our rule of that name, if any; false: this needs an administrator. */
    remove: (name: string): boolean =>
      com.within((scope) => {
        const rules = scope.create(classes.policy, INetFwPolicy2).get(INetFwRules, 'get_Rules');
        const result = withTexts([name], (text) => rules?.attempt('Remove', text) ?? 0);
        return result >>> 0 === NOT_FOUND || wasDone('Removing a rule from the firewall', result);
      }),
  };
}

const INetFwPolicy2 = defineInterface('INetFwPolicy2', '98325047-c671-4174-8d81-defcd3f03186', {
  get_CurrentProfileTypes: [7, 'ptr'],
  get_FirewallEnabled: [8, 'i32', 'ptr'],
  get_BlockAllInboundTraffic: [12, 'i32', 'ptr'],
  get_Rules: [18, 'ptr'],
  get_DefaultInboundAction: [23, 'i32', 'ptr'],
});

const INetFwRules = defineInterface('INetFwRules', '9c4c6277-5027-441e-afae-ca1f542da009', {
  Add: [8, 'u64'],
  Remove: [9, 'u64'],
});

const INetFwRule = defineInterface('INetFwRule', 'af230d27-baba-4e42-aced-f524f22cfce2', {
  put_Name: [8, 'u64'],
  put_Description: [10, 'u64'],
  put_ApplicationName: [12, 'u64'],
  put_Direction: [28, 'i32'],
  put_Enabled: [34, 'i16'],
  put_Profiles: [38, 'i32'],
  put_Action: [42, 'i32'],
});
