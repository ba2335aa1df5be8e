import type { Routes } from '../../../core/route-table.ts';
import type { TransportParts } from '../../../core/transport.ts';
import { problem, sameOriginOnly } from '../respond.ts';

/** The CA certificate of this machine, for devices that install it. It is public: every TLS client receives it. */
export function authorityRoute({ host, settings }: Pick<TransportParts, 'host' | 'settings'>): Routes {
  return {
    '/api/tls/authority.crt': {
      async GET() {
        const { ownCertificateFiles } = await import('../../../access/tls/local-authority.ts');
        const isOurs = settings.current().server.tls === 'auto';
        const certificate = isOurs ? host.storage.read(ownCertificateFiles(host).shared) : null;
        if (certificate === null)
          return problem(501, 'This machine has no authority of its own: server.tls is not auto');
        return new Response(certificate, {
          headers: {
            'Content-Type': 'application/x-x509-ca-cert',
            'Content-Disposition': 'attachment; filename="hostler-authority.crt"',
            'Cache-Control': 'no-store',
            'X-Content-Type-Options': 'nosniff',
            ...sameOriginOnly,
          },
        });
      },
    },
  };
}
