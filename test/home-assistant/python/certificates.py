"""Certificates for tests."""

from datetime import UTC, datetime, timedelta
import ipaddress
import ssl

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


class Certificate:
    """One with its key, issued by another, or by itself."""

    def __init__(self, name, issuer=None, ca=False, names=()):
        self.issuer = issuer
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(self.subject)
            .issuer_name(self.subject if issuer is None else issuer.subject)
            .public_key(self.key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
        )
        if ca is not None:
            builder = builder.add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        if names:
            general = [
                x509.IPAddress(ipaddress.ip_address(one)) if one[0].isdigit() else x509.DNSName(one) for one in names
            ]
            builder = builder.add_extension(x509.SubjectAlternativeName(general), critical=False)
        signer = self.key if issuer is None else issuer.key
        self.pem = builder.sign(signer, hashes.SHA256()).public_bytes(Encoding.PEM).decode()

    def context(self, directory):
        """Return what a server needs that sends this one and those of its issuers, except that of a root above others."""
        chain, above = self.pem, self.issuer
        while above is not None and (above.issuer is not None or above is self.issuer):
            chain, above = chain + above.pem, above.issuer
        file = directory / "server.pem"
        key = self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
        file.write_text(chain + key)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context


def of_shared_authority():
    """Return an intermediate authority with many customers."""
    return Certificate("Intermediate", Certificate("Root", ca=True), ca=True)
