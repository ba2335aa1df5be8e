import * as asn1 from 'asn1js';
import {
  AttributeTypeAndValue,
  BasicConstraints,
  Certificate,
  CryptoEngine,
  Extension,
  ExtKeyUsage,
  GeneralName,
  GeneralNames,
  GeneralSubtree,
  NameConstraints,
  setEngine,
} from 'pkijs';
import { addressBytes } from '../../lib/ip-address.ts';
import { certificatesIn, type Issued, type IssueOrder, type KeyPair } from './certificates.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const dayMs = 86_400_000;
/** Tolerates clocks of phones that are behind. */
const earlierMs = dayMs;
const authorityMs = 20 * 365 * dayMs;
/** Apple accepts at most 825 days from an authority that the user installed. */
export const machineMs = 90 * dayMs;

/** X.509 by the book: https://www.rfc-editor.org/rfc/rfc5280 */
export async function issue(order: IssueOrder): Promise<Issued> {
  setEngine('runtime', new CryptoEngine({ name: 'runtime', crypto }));
  const authority = order.authority === null ? await makeAuthority(order) : await readAuthority(order.authority);
  const keys = await makeKeys();
  const certificate = await begin(keys.publicKey, order.machineName, order.now, machineMs);
  certificate.issuer.typesAndValues = authority.certificate.subject.typesAndValues;
  certificate.extensions = [
    extension(oid.basicConstraints, true, new BasicConstraints({ cA: false }).toSchema()),
    extension(oid.keyUsage, true, bits(digitalSignature)),
    forServers(),
    extension(oid.alternativeNames, false, alternativeNames(order).toSchema()),
    extension(oid.authorityKeyId, false, authorityKeyId(await keyIdOf(authority.publicKey))),
    extension(oid.subjectKeyId, false, new asn1.OctetString({ valueHex: await keyIdOf(keys.publicKey) })),
  ];
  await certificate.sign(authority.key, 'SHA-256');
  const text = toPem('CERTIFICATE', certificate.toSchema(true).toBER(false));
  return {
    authority: authority.pair,
    machine: { certificate: `${text}${authority.pair.certificate}`, key: await keyText(keys.privateKey) },
  };
}

interface Authority {
  certificate: Certificate;
  publicKey: CryptoKey;
  key: CryptoKey;
  pair: KeyPair;
}

/** The authority is limited to servers, and to names of a home network: a stolen key cannot impersonate the name of a public site. Addresses are not limited. */
async function makeAuthority({ authorityName, permittedDomains, now }: IssueOrder): Promise<Authority> {
  const keys = await makeKeys();
  const certificate = await begin(keys.publicKey, authorityName, now, authorityMs);
  certificate.issuer.typesAndValues = certificate.subject.typesAndValues;
  certificate.extensions = [
    extension(oid.basicConstraints, true, new BasicConstraints({ cA: true, pathLenConstraint: 0 }).toSchema()),
    extension(oid.keyUsage, true, bits(certificateSigning)),
    forServers(),
    extension(oid.nameConstraints, true, constraints(permittedDomains).toSchema()),
    extension(oid.subjectKeyId, false, new asn1.OctetString({ valueHex: await keyIdOf(keys.publicKey) })),
  ];
  await certificate.sign(keys.privateKey, 'SHA-256');
  const pair = {
    certificate: toPem('CERTIFICATE', certificate.toSchema(true).toBER(false)),
    key: await keyText(keys.privateKey),
  };
  return { certificate, publicKey: keys.publicKey, key: keys.privateKey, pair };
}

async function readAuthority(pair: KeyPair): Promise<Authority> {
  const certificate = Certificate.fromBER(fromPem(certificatesIn(pair.certificate)[0] ?? ''));
  const key = await crypto.subtle.importKey('pkcs8', fromPem(pair.key), algorithm, false, ['sign']);
  return { certificate, publicKey: await certificate.getPublicKey(), key, pair };
}

async function begin(publicKey: CryptoKey, name: string, now: number, forMs: number): Promise<Certificate> {
  const certificate = new Certificate();
  certificate.version = 2;
  const serial = crypto.getRandomValues(new Uint8Array(16));
  // Positive, and never begun by zeros.
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  certificate.serialNumber = new asn1.Integer({ valueHex: serial.buffer });
  certificate.notBefore.value = new Date(now - earlierMs);
  certificate.notAfter.value = new Date(now + forMs);
  certificate.subject.typesAndValues = [
    new AttributeTypeAndValue({ type: oid.commonName, value: new asn1.Utf8String({ value: name.slice(0, 64) }) }),
  ];
  await certificate.subjectPublicKeyInfo.importKey(publicKey);
  return certificate;
}

const makeKeys = () => crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);

const oid = {
  commonName: '2.5.4.3',
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  alternativeNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  authorityKeyId: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuthentication: '1.3.6.1.5.5.7.3.1',
};
/** Bits of KeyUsage, the first one being the highest, and how many of the byte are left over. */
const digitalSignature = { byte: 0x80, unused: 7 };
const certificateSigning = { byte: 0x06, unused: 1 };

const extension = (extnID: string, critical: boolean, value: { toBER(sizeOnly: boolean): ArrayBuffer }) =>
  new Extension({ extnID, critical, extnValue: value.toBER(false) });

const forServers = () =>
  extension(oid.extendedKeyUsage, false, new ExtKeyUsage({ keyPurposes: [oid.serverAuthentication] }).toSchema());

const bits = ({ byte, unused }: { byte: number; unused: number }) =>
  new asn1.BitString({ valueHex: new Uint8Array([byte]).buffer, unusedBits: unused });

/** Kinds of GeneralName. */
const dnsName = 2;
const ipAddress = 7;

function alternativeNames({ names, addresses }: IssueOrder): GeneralNames {
  return new GeneralNames({
    names: [
      ...names.map((value) => new GeneralName({ type: dnsName, value })),
      ...addresses.flatMap((address) => {
        const bytes = addressBytes(address);
        return bytes === null ? [] : [new GeneralName({ type: ipAddress, value: octets(bytes) })];
      }),
    ],
  });
}

/** Names only: BoringSSL refuses every certificate of an authority that is limited to addresses as well. */
function constraints(domains: string[]): NameConstraints {
  return new NameConstraints({
    permittedSubtrees: domains.map((value) => new GeneralSubtree({ base: new GeneralName({ type: dnsName, value }) })),
  });
}

const octets = (bytes: Uint8Array) => new asn1.OctetString({ valueHex: new Uint8Array(bytes).buffer });

/** RFC 5280, 4.2.1.2: SHA-1 of the public key; an identifier, not a protection. */
async function keyIdOf(publicKey: CryptoKey): Promise<ArrayBuffer> {
  return await crypto.subtle.digest('SHA-1', await crypto.subtle.exportKey('raw', publicKey));
}

const authorityKeyId = (keyId: ArrayBuffer) =>
  new asn1.Sequence({ value: [new asn1.Primitive({ idBlock: { tagClass: 3, tagNumber: 0 }, valueHex: keyId })] });

const keyText = async (key: CryptoKey) => toPem('PRIVATE KEY', await crypto.subtle.exportKey('pkcs8', key));

function toPem(label: string, bytes: ArrayBuffer): string {
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

function fromPem(pem: string): ArrayBuffer {
  return new Uint8Array(Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64')).buffer;
}
