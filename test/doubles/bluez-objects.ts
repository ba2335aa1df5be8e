/** The objects of bluetoothd on a laptop, as GetManagedObjects returns them; an unpaired phone is nearby. */
export function bluezObjects(): Record<string, Record<string, Record<string, unknown>>> {
  const adapter = '/org/bluez/hci0';
  return {
    '/org/bluez': { 'org.bluez.AgentManager1': {} },
    [adapter]: {
      'org.bluez.Adapter1': {
        Address: '00:1A:7D:DA:71:13',
        Name: 'laptop',
        Alias: 'laptop',
        Powered: true,
        Discovering: false,
      },
    },
    [`${adapter}/dev_38_18_4C_00_00_01`]: {
      'org.bluez.Device1': {
        Address: '38:18:4C:00:00:01',
        Name: 'WH-1000XM4',
        Alias: 'Headphones',
        Icon: 'audio-headset',
        Adapter: adapter,
        Paired: true,
        Trusted: true,
        Connected: true,
      },
      'org.bluez.Battery1': { Percentage: 70 },
    },
    [`${adapter}/dev_D4_20_B0_00_00_02`]: {
      'org.bluez.Device1': {
        Address: 'D4:20:B0:00:00:02',
        Alias: 'MX Keys',
        Icon: 'input-keyboard',
        Adapter: adapter,
        Paired: true,
        Trusted: false,
        Connected: false,
      },
    },
    [`${adapter}/dev_66_66_66_66_66_66`]: {
      'org.bluez.Device1': {
        Address: '66:66:66:66:66:66',
        Name: 'unpaired\u202e\u001b[31m',
        Alias: 'unpaired\u202e\u001b[31m',
        Icon: 'phone',
        Adapter: adapter,
        Paired: false,
        Trusted: false,
        Connected: false,
        RSSI: -60,
      },
    },
  };
}
