/** Put in by the build: the public key (Ed25519, 32 bytes, base64) of whoever makes the releases. Never read from the environment of a running program. */
declare const HOSTLER_RELEASE_KEY: string | undefined;

/** null: from source, or built by somebody who signs nothing. No release can be verified then. */
export const releaseKey: string | null =
  typeof HOSTLER_RELEASE_KEY === 'string' && HOSTLER_RELEASE_KEY !== '' ? HOSTLER_RELEASE_KEY : null;
