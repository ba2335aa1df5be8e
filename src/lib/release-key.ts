/** Put in by the build: the public key (Ed25519, 32 bytes, base64) of the publisher of releases. Never read from the environment of a running program. */
declare const HOSTLER_RELEASE_KEY: string | undefined;

/** null: runs from source, or was built without a key. Release lists are not verified then. */
export const releaseKey: string | null =
  typeof HOSTLER_RELEASE_KEY === 'string' && HOSTLER_RELEASE_KEY !== '' ? HOSTLER_RELEASE_KEY : null;
