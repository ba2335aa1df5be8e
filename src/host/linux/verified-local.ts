import { createConnectLocal } from '../connect-local.ts';

/** To servers on this machine that belong to an expected user. What finds that out is loaded with the first connection. */
export const connectVerified = createConnectLocal(async () => (await import('./peer-credentials.ts')).verifyPeer);
