import { z } from 'zod';
import { quantityOrNull } from '../../core/quantity.schema.ts';
import { unit } from '../../core/unit.schema.ts';

const counter = (meaning: string) => z.number().nonnegative().describe(`${meaning} since the interfaces came up`);

const addressSchema = z.object({
  address: z.string().describe('The address; a link-local IPv6 address includes its interface, as in fe80::1%eth0'),
  family: z.enum(['IPv4', 'IPv6', 'MAC']).describe('Kind of address'),
  netmask: z.string().nullable().describe('Netmask, such as 255.255.255.0 or ffff:ffff:ffff:ffff::'),
  broadcast: z.string().nullable().describe('Broadcast address'),
  ptp: z.string().nullable().describe('Peer address of a point-to-point connection'),
});

const wifiSchema = z.object({
  ssid: z.string().nullable().describe('Name of the wireless network'),
  signal: z.number().nullable().describe('Strength of the signal, dBm: -50 is strong, -80 is weak'),
  signal_percent: z
    .number()
    .min(0)
    .max(100)
    .nullable()
    .describe('The same in percent: -50 dBm and better is 100, -100 dBm is 0')
    .meta(unit('percent')),
  frequency: quantityOrNull('megahertz', 'Frequency, MHz'),
  band: z.enum(['2.4 GHz', '5 GHz', '6 GHz', '60 GHz']).nullable().describe('Band of that frequency'),
  channel: z.int().positive().nullable().describe('Channel in that band'),
  security: z
    .enum([
      'open',
      'owe',
      'wep',
      'wpa-personal',
      'wpa-enterprise',
      'wpa2-personal',
      'wpa2-enterprise',
      'wpa2-wpa3-personal',
      'wpa3-personal',
      'wpa3-enterprise',
      'other',
    ])
    .nullable()
    .describe(
      'How the network is secured, as its access point announces it: personal means a passphrase, enterprise a sign-in; owe is encrypted without either',
    ),
  rate: quantityOrNull('megabits_per_second', 'Rate at which it sends, Mbit/s'),
  receive_rate: quantityOrNull('megabits_per_second', 'Rate at which it receives, Mbit/s'),
});

const wakeModes = ['phy', 'unicast', 'multicast', 'broadcast', 'arp', 'magic', 'magic_secure', 'filter'] as const;

const interfaceSchema = z.object({
  name: z.string().describe('Name of the interface'),
  addresses: z.array(addressSchema).describe('Its addresses: IPv4, IPv6 and MAC'),
  stats: z
    .object({
      isup: z.boolean().nullable().describe('Whether it is up and has a link'),
      duplex: z.string().describe('"full" or "half"; empty when unknown'),
      speed: quantityOrNull('megabits_per_second', 'Link speed, Mbit/s'),
      mtu: z.int().nonnegative().nullable().describe('Largest packet (MTU), bytes'),
      flags: z.array(z.string()).describe('Its flags, such as up, broadcast, running, multicast'),
    })
    .describe('State of the interface'),
  io: z
    .object({
      bytes_sent: counter('Bytes sent').meta(unit('bytes')),
      bytes_recv: counter('Bytes received').meta(unit('bytes')),
    })
    .nullable()
    .describe('Traffic of this interface'),
  wake_on_lan: z
    .boolean()
    .nullable()
    .optional()
    .describe(
      'Whether this card may wake the machine from sleep; only physical interfaces have this field. Its hardware address is the one to call',
    ),
  wake_modes: z
    .object({
      supported: z.array(z.enum(wakeModes)).describe('What the card can be set to'),
      active: z.array(z.enum(wakeModes)).describe('What wakes the machine now; magic is the usual wake-on-LAN packet'),
    })
    .nullable()
    .optional()
    .describe('What wakes the machine through this card; only physical interfaces have this field'),
  kind: z
    .string()
    .optional()
    .describe(
      'Kind of a virtual interface as the kernel calls it, such as bridge, veth, vlan, wireguard or tun; physical ones do not have this field; Linux only',
    ),
  wifi: wifiSchema
    .nullable()
    .optional()
    .describe('Wireless network it is connected to, or offers; only wireless interfaces have this field'),
});

const connectionSchema = z.object({
  fd: z.int().nonnegative().nullable().describe('Descriptor of the socket in that process'),
  family: z.int().describe('Number of the address family: 2 is IPv4, 10 is IPv6'),
  type: z.int().describe('Number of the socket type: 1 is a stream (TCP), 2 is datagrams (UDP)'),
  laddr: z.string().describe('Local address:port, IPv6 addresses in brackets'),
  raddr: z.string().nullable().describe('Remote address:port, IPv6 addresses in brackets'),
  status: z.string().describe('State of a TCP connection, such as ESTABLISHED or LISTEN; NONE for UDP'),
  pid: z.int().nonnegative().nullable().describe('Process that owns the socket'),
});

const vpnSchema = z.object({
  name: z.string().max(100).describe('What it is called: its interface, or its name in NetworkManager'),
  kind: z
    .enum(['wireguard', 'openvpn', 'tun', 'ppp', 'ipsec', 'other'])
    .describe(
      'Kind of VPN; tun is any program that carries packets itself, such as OpenVPN or Tailscale; ppp may be a modem',
    ),
  interface: z.string().nullable().describe('Interface it goes through'),
  up: z
    .boolean()
    .describe(
      'Whether it is up; for WireGuard this is the interface, which does not know whether the other side answers',
    ),
  source: z.enum(['kernel', 'networkmanager']).describe('Source of the information'),
});

export const networksSchema = z.object({
  networks: z.array(interfaceSchema).describe('Network interfaces'),
  connections: z.array(connectionSchema).describe('TCP and UDP sockets'),
  vpns: z
    .array(vpnSchema)
    .optional()
    .describe('VPN interfaces, up or down, and the VPN connections that NetworkManager has up; Linux only'),
  io: z
    .object({
      bytes_sent: counter('Bytes sent').meta(unit('bytes')),
      bytes_recv: counter('Bytes received').meta(unit('bytes')),
      packets_sent: counter('Packets sent'),
      packets_recv: counter('Packets received'),
      errin: counter('Errors while receiving'),
      errout: counter('Errors while sending'),
      dropin: counter('Incoming packets that were dropped'),
      dropout: counter('Outgoing packets that were dropped'),
    })
    .nullable()
    .describe('Traffic of all interfaces together, loopback included'),
});

export type Networks = z.infer<typeof networksSchema>;
export type NetworkInterface = z.infer<typeof interfaceSchema>;
export type NetworkWifi = z.infer<typeof wifiSchema>;
export type NetworkVpn = z.infer<typeof vpnSchema>;
export type NetworkAddress = z.infer<typeof addressSchema>;
export type NetworkConnection = z.infer<typeof connectionSchema>;
export type NetworkIo = NonNullable<Networks['io']>;
