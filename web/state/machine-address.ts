interface Place {
  hostname: string;
  port: string;
  protocol: string;
}

interface Addresses {
  ip_address_4: string;
  ip_address_6: string;
}

/** How other machines reach the service: in a browser on the machine itself the page has an address that only it can use. */
export function machineAddress({ hostname, port, protocol }: Place, system: Addresses | null) {
  const isOwn = hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
  const v6 = system?.ip_address_6 ? `[${system.ip_address_6}]` : '';
  const name = (isOwn && (system?.ip_address_4 || v6)) || hostname;
  return {
    hostname: name,
    port: port || (protocol === 'https:' ? '443' : '80'),
    origin: `${protocol}//${name}${port === '' ? '' : `:${port}`}`,
  };
}

/** Whether a client at this address is on the machine that the service runs on. */
export const isThisMachine = (address: string) => /^(?:::ffff:)?127\.|^::1$/.test(address);

export const addressInWords = (address: string) => (isThisMachine(address) ? 'this machine' : address);
