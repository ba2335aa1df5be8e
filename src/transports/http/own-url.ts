/** How this machine itself reaches what listens on an address, without anything behind the port. */
export function ownUrl(address: string, port: number): string {
  const name = isEverywhere(address) ? '127.0.0.1' : address;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

const isEverywhere = (address: string) => address === '' || address === '::' || address === '0.0.0.0';
