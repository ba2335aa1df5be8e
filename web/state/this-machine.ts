/** Whether a client at this address is on the machine that the service runs on. */
export const isThisMachine = (address: string) => /^(?:::ffff:)?127\.|^::1$/.test(address);
