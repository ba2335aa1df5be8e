import { basePath } from '../state/base-path.ts';
import { useLoaded } from '../state/loaded.ts';
import { encryptedAccess, ownCommand, type SecureWay } from '../state/own-command.ts';
import { offersEncryption } from '../state/session.ts';
import { set } from '../state/set.ts';

/** Instead of “Stay signed in”, on a page over plain HTTP from another machine. */
export function WhyEncrypted() {
  const way = encryptedAccess();
  return (
    <p class="small">
      You stay signed in until this tab is closed, for 12 hours at most: to stay signed in longer, the browser needs a
      key, which it stores over an encrypted connection only.{' '}
      {way === undefined || way === null ? (
        <>
          To switch that on, run <code>{ownCommand('settings set server.tls auto')}</code> on the machine and restart
          the service.
        </>
      ) : (
        <a href={addressOf(location.hostname, way)}>Use the encrypted address</a>
      )}
    </p>
  );
}

/** A step after pairing: this device, or another one, changes over to TLS. */
export function EncryptionOffer() {
  const way = encryptedAccess();
  if (way === null || way === undefined) return null;
  return (
    <main class="sign-in encrypted">
      <h1>Stay signed in</h1>
      <p>
        You are signed in in this tab, over an unencrypted connection. To stay signed in on this device, use the
        encrypted address of the machine.
      </p>
      <EncryptionSteps way={way} host={location.hostname} />
      <p class="buttons">
        <button type="button" onClick={() => set(offersEncryption, false)}>
          Continue without
        </button>
      </p>
    </main>
  );
}

export function EncryptionSteps({ way, host }: { way: SecureWay; host: string }) {
  const address = addressOf(host, way);
  return (
    <>
      <ol>
        {way.own_authority ? (
          <li>
            Install the <a href={`${basePath}/api/tls/authority.crt`}>certificate authority of the machine</a> on the
            device. Trust it only if its SHA-256 fingerprint is the one that{' '}
            <code>{ownCommand('tls fingerprint')}</code> prints on the machine.
          </li>
        ) : null}
        <li>
          Open <a href={address}>{address}</a> there, ask for access, and choose “Keep me signed in”.
        </li>
      </ol>
      <QrCode text={address} label={`QR code: ${address}`} />
    </>
  );
}

export function QrCode(props: { text: string; label: string }) {
  const { data: Picture } = useLoaded(async () => (await import('../components/qr-code.tsx')).QrPicture);
  return Picture === null ? null : <Picture {...props} />;
}

export const addressOf = (host: string, { port }: SecureWay) => `https://${host}:${port}/`;
