const version = 0x80;
const [headBytes, ivBytes, macBytes] = [9, 16, 32];

/** The text that Python's cryptography package encrypted with this key; null: it was not this key. https://github.com/fernet/spec/blob/master/Spec.md */
export async function openFernet(key: string, token: string): Promise<string | null> {
  const secret = Buffer.from(key.trim(), 'base64url');
  const bytes = Buffer.from(token.trim(), 'base64url');
  if (secret.length !== 32 || bytes[0] !== version || bytes.length < headBytes + ivBytes + 16 + macBytes) return null;
  const signed = new Uint8Array(bytes.subarray(0, -macBytes));
  const mac = new Uint8Array(bytes.subarray(-macBytes));
  const { subtle } = crypto;
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const signing = await subtle.importKey('raw', new Uint8Array(secret.subarray(0, 16)), hmac, false, ['verify']);
  if (!(await subtle.verify('HMAC', signing, mac, signed))) return null;
  const aes = await subtle.importKey('raw', new Uint8Array(secret.subarray(16)), 'AES-CBC', false, ['decrypt']);
  const iv = signed.slice(headBytes, headBytes + ivBytes);
  const text = await subtle.decrypt({ name: 'AES-CBC', iv }, aes, signed.slice(headBytes + ivBytes));
  return new TextDecoder().decode(text);
}
