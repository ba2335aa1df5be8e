"""Pairing by comparing six digits; docs/pairing.md of the service describes it."""

import asyncio
import base64
import json
import secrets
import socket
import ssl
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from .api import CannotConnect, HostlerClient, HostlerError

LABEL = "hostler-pairing-1"
POLL_SECONDS = 1
MOST_POLLS = 180
CHAIN_SECONDS = 10


class PairingRefused(HostlerError):
    """The user of the machine refused, or did not answer."""


class OtherMachine(HostlerError):
    """Another machine answers in place of this one."""


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def digest(*parts: str) -> bytes:
    """Hash texts, each with its length before it, so that different lists never encode equally."""
    hashed = hashes.Hash(hashes.SHA256())
    for part in (LABEL, *parts):
        encoded = part.encode()
        hashed.update(len(encoded).to_bytes(4) + encoded)
    return hashed.finalize()


def digits_of(transcript: tuple[str, ...]) -> str:
    """Return the digits that both sides show."""
    number = f"{int.from_bytes(digest('digits', *transcript)[:6]) % 1_000_000:06d}"
    return f"{number[:3]} {number[3:]}"


def read_authority(host: str, port: int) -> str:
    """Return the certificate at the end of the chain (PEM). Blocking; nothing is sent over this connection."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        with (
            socket.create_connection((host, port), timeout=CHAIN_SECONDS) as plain,
            context.wrap_socket(plain) as secure,
        ):
            chain = secure.get_unverified_chain()
    except OSError as error:
        raise CannotConnect(str(error)) from error
    if not chain:
        raise CannotConnect("The machine has no certificate")
    return ssl.DER_cert_to_PEM_cert(bytes(chain[-1]))


def fingerprint_of(authority: str) -> str:
    """Return the SHA-256 fingerprint of a certificate, as AB:CD:…."""
    hashed = hashes.Hash(hashes.SHA256())
    hashed.update(ssl.PEM_cert_to_DER_cert(authority))
    return hashed.finalize().hex(":").upper()


class Pairing:
    """One attempt: `ask`, show the digits, `wait`."""

    def __init__(
        self, client: HostlerClient, name: str, scopes: tuple[str, ...], authority: str | None
    ) -> None:
        """Prepare an attempt; with an authority its fingerprint is part of the digits."""
        self._client = client
        self._name = name
        self._scopes = scopes
        self._certificate = None if authority is None else fingerprint_of(authority)
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._id = ""
        self._service_key = ""
        self._transcript: tuple[str, ...] = ()

    async def ask(self) -> str:
        """Show the prompt on the machine; return the digits to compare."""
        begun = await self._client.json("POST", "/api/pair/begin", {})
        attempt, self._service_key = str(begun["id"]), str(begun["public_key"])
        own = _encode(
            self._key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        )
        own_nonce = _encode(secrets.token_bytes(32))
        agreed = {"id": attempt, "public_key": own, "nonce": own_nonce}
        if self._certificate is not None:
            agreed["certificate"] = self._certificate
        asked = await self._client.json(
            "POST",
            "/api/pair",
            {"name": self._name, "scopes": list(self._scopes), "agreed": agreed},
        )
        nonce = str(asked["nonce"])
        # The commitment precedes our nonce: a relay cannot search for nonces with the same digits.
        expected = _encode(digest("commitment", attempt, self._service_key, nonce))
        if expected != begun["commitment"]:
            raise OtherMachine("Another machine answers in place of this one")
        self._id = attempt
        self._transcript = (
            attempt,
            own,
            self._service_key,
            own_nonce,
            nonce,
            self._name,
            ",".join(self._scopes),
            "",
            self._certificate or "",
        )
        return digits_of(self._transcript)

    def _secret(self, purpose: str) -> bytes:
        peer = ec.EllipticCurvePublicKey.from_encoded_point(
            ec.SECP256R1(), _decode(self._service_key)
        )
        return HKDF(
            algorithm=hashes.SHA256(),
            length=32,
            salt=digest("secrets", "", *self._transcript),
            info=f"{LABEL} {purpose}".encode(),
        ).derive(self._key.exchange(ec.ECDH(), peer))

    async def wait(self) -> str:
        """Wait for the answer at the machine; return the token."""
        claim = _encode(self._secret("claim"))
        for _ in range(MOST_POLLS):
            await asyncio.sleep(POLL_SECONDS)
            try:
                answer: dict[str, Any] = await self._client.json(
                    "POST", "/api/pair/fetch", {"id": self._id, "claim": claim}
                )
            except CannotConnect:
                continue
            if answer["state"] == "refused":
                raise PairingRefused(str(answer.get("reason")))
            if answer["state"] == "granted":
                sealed = _decode(str(answer["sealed"]))
                opened = AESGCM(self._secret("delivery")).decrypt(sealed[:12], sealed[12:], None)
                return str(json.loads(opened)["token"])
        raise PairingRefused("The prompt was not answered in time")
