import { Card } from '../../components/card.tsx';
import { useModule } from '../../state/live.ts';
import { isThisMachine } from '../../state/machine-address.ts';
import { encryptedAccess, ownCommand } from '../../state/own-command.ts';
import { addressOf, QrCode } from '../encrypted.tsx';

/** The way for a phone that looks at this screen. */
export function Phones() {
  const ownAddress = useModule('system')?.ip_address_4 ?? null;
  const way = encryptedAccess();
  const { hostname, port, protocol } = location;
  const host = hostname === 'localhost' || isThisMachine(hostname) ? ownAddress : hostname;
  if (host === null || way === undefined) return null;
  const plain = `${protocol}//${host}${port === '' ? '' : `:${port}`}/`;
  const address = way === null ? plain : addressOf(host, way);
  return (
    <Card title="Phones and tablets" icon="add" wide>
      <div class="qr-codes">
        {way?.own_authority === true ? (
          <figure>
            <QrCode text={`${plain}api/tls/authority.crt`} label="QR code of the certificate authority" />
            <figcaption>
              First, once: install the certificate authority of this machine. Trust it only if its SHA-256 fingerprint
              is the one that <code>{ownCommand('tls fingerprint')}</code> prints here.
            </figcaption>
          </figure>
        ) : null}
        <figure>
          <QrCode text={address} label={`QR code of ${address}`} />
          <figcaption>
            Open <code>{address}</code> on the phone, press “Ask for access”, and allow it here if both show the same
            code.
            {way === null ? (
              <>
                {' '}
                It stays signed in only over an encrypted connection: run{' '}
                <code>{ownCommand('settings set server.tls auto')}</code> and restart the service first.
              </>
            ) : null}
          </figcaption>
        </figure>
      </div>
    </Card>
  );
}
