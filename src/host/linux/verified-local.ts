import { createConnectLocal } from '../connect-local.ts';

/** Connections to local servers of an expected user. The check is loaded with the first connection. */
export const connectVerified = createConnectLocal(async () => (await import('./peer-credentials.ts')).verifyPeer);
