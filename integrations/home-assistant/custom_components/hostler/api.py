"""Client of the service: HTTP for single requests, one WebSocket for updates and commands."""

import asyncio
from collections.abc import Callable
import itertools
import ssl
from typing import Any, NamedTuple

import aiohttp
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.x509.oid import NameOID

from homeassistant.util.json import json_loads, json_loads_object

from .models import Machine, Values


class Answer(NamedTuple):
    """An answer of the service."""

    type: str
    body: bytes


class HostlerError(Exception):
    """The service refused a request, or could not be reached."""

    def __init__(self, message: str, status: int | None = None) -> None:
        """Create an error; the status is that of an HTTP answer."""
        super().__init__(message)
        self.status = status


class CannotConnect(HostlerError):
    """The service could not be reached."""


class CertificateChanged(CannotConnect):
    """The certificate is not from the authority of the machine."""


class InvalidAuth(HostlerError):
    """The token is not valid any more."""


REQUEST_SECONDS = 15
HEARTBEAT_SECONDS = 10
# What parsing raises where an answer is not as described.
MALFORMED = (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError)
MAX_BODY_BYTES = 32 * 1024 * 1024
# Home Assistant serves them from its own origin, where a page or an SVG could run scripts.
PICTURE_TYPES = {"image/png", "image/jpeg", "image/webp", "image/gif"}


def create_ssl_context(authority: str) -> ssl.SSLContext:
    """Return a context that accepts certificates of this authority only. Blocking."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # Each customer of a shared authority could answer in place of the machine: its certificates have to name the host.
    context.check_hostname = not is_own_authority(authority)
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.load_verify_locations(cadata=authority)
    return context


def is_own_authority(authority: str) -> bool:
    """Return whether this certificate (PEM) authenticates one machine, whatever its address is."""
    certificate = x509.load_pem_x509_certificate(authority.encode())
    return _is_authority_of_service(certificate) or not _can_issue(certificate)


def _is_authority_of_service(certificate: x509.Certificate) -> bool:
    """Return whether it is self-signed, and named as the service names the authority that it creates for itself."""
    names = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    try:
        certificate.verify_directly_issued_by(certificate)
    except (ValueError, TypeError, InvalidSignature):
        return False
    return any(str(name.value).startswith("Hostler authority of ") for name in names)


def _can_issue(certificate: x509.Certificate) -> bool:
    """Return whether OpenSSL accepts certificates that this one signed."""
    try:
        return certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except x509.ExtensionNotFound:
        # Without basic constraints OpenSSL may take it for an authority, such as one of X.509 version 1.
        return True


async def refuse_redirects(
    request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
) -> aiohttp.ClientResponse:
    """Middleware: the service never redirects; another program could lead the token anywhere."""
    response = await handler(request)
    if 300 <= response.status < 400:
        response.close()
        raise CannotConnect(f"{request.url.origin()} redirects, so it is not Hostler")
    return response


class HostlerClient:
    """One machine."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        host: str,
        port: int,
        token: str = "",
        context: ssl.SSLContext | None = None,
    ) -> None:
        """Create a client; a context means TLS. To listen, the session needs the middleware `refuse_redirects`."""
        self._session = session
        self._token = token
        self._ssl: ssl.SSLContext | bool = context if context is not None else True
        name = f"[{host}]" if ":" in host else host
        self._base = f"{'http' if context is None else 'https'}://{name}:{port}"
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._ids = itertools.count(1)
        self._waiting: dict[str, asyncio.Future[dict[str, Any]]] = {}

    async def request(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> Answer:
        """Send a request and return the answer."""
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        try:
            async with self._session.request(
                method,
                self._base + path,
                json=body,
                headers=headers,
                ssl=self._ssl,
                timeout=aiohttp.ClientTimeout(total=REQUEST_SECONDS),
                # The service never redirects; another program could lead anywhere in the network.
                allow_redirects=False,
            ) as response:
                answer = Answer(response.content_type, await _body(response))
        except (aiohttp.ClientError, TimeoutError) as error:
            raise _connection_error(error) from error
        if response.status == 401:
            raise InvalidAuth(_reason(response.status, answer))
        if 300 <= response.status < 400:
            raise CannotConnect(f"{self._base} redirects, so it is not Hostler")
        if response.status >= 400:
            raise HostlerError(_reason(response.status, answer), response.status)
        return answer

    async def json(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> Any:
        """Send a request and return its JSON."""
        answer = await self.request(method, path, body)
        try:
            return json_loads(answer.body)
        except ValueError as error:
            raise CannotConnect(f"{self._base} is not Hostler") from error

    async def machine(self) -> Machine:
        """Return what the machine shows."""
        answer = await self.json("GET", "/api/entities")
        try:
            return Machine.parse(answer)
        except MALFORMED as error:
            raise CannotConnect("The service is too old for this integration") from error

    async def values(self) -> Values:
        """Return the current values."""
        answer = await self.json("GET", "/api/data/entities")
        try:
            return Values.parse(answer)
        except MALFORMED as error:
            raise CannotConnect(f"{self._base} sent malformed values") from error

    async def picture(self, key: str) -> Answer:
        """Return the picture of an entity."""
        return _picture(await self.request("GET", f"/api/entities/picture?key={key}"))

    async def answered_picture(self, action: str) -> Answer:
        """Run an action and return the picture that it answers."""
        return _picture(await self.request("POST", f"/api/{action.replace('.', '/')}", {}))

    async def action_names(self) -> set[str]:
        """Return the actions that work here and that the token may use."""
        states = await self.json("GET", "/api/actions")
        try:
            return {each["name"] for each in states if each["allowed"] and each["available"]}
        except MALFORMED as error:
            raise CannotConnect(f"{self._base} sent malformed actions") from error

    async def run_action(self, name: str, data: dict[str, Any]) -> Any:
        """Run an action over HTTP and return its data."""
        answer = await self.json("POST", f"/api/{name.replace('.', '/')}", data)
        return answer.get("data")

    async def listen(
        self,
        interval_ms: int | None,
        connected: Callable[[], None],
        updated: Callable[[Values], None],
        happened: Callable[[dict[str, Any]], None],
    ) -> None:
        """Pass on updates and events until the connection ends."""
        try:
            async with self._session.ws_connect(
                f"{self._base}/api/websocket",
                headers={"Authorization": f"Bearer {self._token}"},
                heartbeat=HEARTBEAT_SECONDS,
                ssl=self._ssl,
            ) as socket:
                self._socket = socket
                await self._register(socket, interval_ms)
                connected()
                async for message in socket:
                    if message.type is aiohttp.WSMsgType.TEXT:
                        self._take(message.json(), updated, happened)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise _connection_error(error) from error
        except MALFORMED as error:
            raise CannotConnect(f"{self._base} sent a malformed message: {error!r}") from error
        finally:
            self._socket = None
            for future in self._waiting.values():
                if not future.done():
                    future.set_exception(CannotConnect("The connection was closed"))
            self._waiting.clear()

    async def _register(
        self, socket: aiohttp.ClientWebSocketResponse, interval_ms: int | None
    ) -> None:
        data: dict[str, Any] = {"modules": ["entities"]}
        if interval_ms is not None:
            data["interval"] = interval_ms
        await socket.send_json(self._message("register", "REGISTER_DATA_LISTENER", data))
        answer = await socket.receive_json(timeout=REQUEST_SECONDS)
        if answer.get("type") != "ERROR":
            return
        if answer.get("subtype") in ("BAD_TOKEN", "MISSING_TOKEN"):
            raise InvalidAuth(str(answer.get("message")))
        raise HostlerError(str(answer.get("message")))

    def _message(self, id_: str, event: str, data: dict[str, Any]) -> dict[str, Any]:
        return {"id": id_, "token": self._token, "event": event, "data": data}

    def _take(
        self,
        message: dict[str, Any],
        updated: Callable[[Values], None],
        happened: Callable[[dict[str, Any]], None],
    ) -> None:
        match message.get("type"):
            case "DATA_UPDATE":
                updated(Values.parse(message["data"]))
            case "ENTITY_EVENT":
                happened(message["data"])
            case _:
                future = self._waiting.pop(str(message.get("id")), None)
                if future is not None and not future.done():
                    future.set_result(message)

    async def control(self, key: str, value: Any = None) -> None:
        """Set an entity, or press a button."""
        socket = self._socket
        if socket is None:
            raise CannotConnect("The machine is not connected")
        id_ = str(next(self._ids))
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[id_] = future
        try:
            await socket.send_json(
                self._message(id_, "CONTROL_ENTITY", {"key": key, "value": value})
            )
            async with asyncio.timeout(REQUEST_SECONDS):
                answer = await future
        except (aiohttp.ClientError, TimeoutError) as error:
            raise _connection_error(error) from error
        finally:
            self._waiting.pop(id_, None)
        if answer.get("type") == "ERROR":
            raise HostlerError(str(answer.get("message")))


async def _body(response: aiohttp.ClientResponse) -> bytes:
    body = bytearray()
    async for piece in response.content.iter_chunked(65536):
        body += piece
        if len(body) > MAX_BODY_BYTES:
            raise CannotConnect("The answer is too long")
    return bytes(body)


def _picture(answer: Answer) -> Answer:
    if answer.type not in PICTURE_TYPES:
        raise HostlerError("The answer is not a picture")
    return answer


def _connection_error(error: Exception) -> CannotConnect:
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return CertificateChanged("The certificate is not that of the machine")
    if isinstance(error, aiohttp.WSServerHandshakeError) and error.status == 401:
        return CannotConnect("The machine refused the connection")
    return CannotConnect(str(error) or type(error).__name__)


def _reason(status: int, answer: Answer) -> str:
    try:
        return str(json_loads_object(answer.body).get("error", f"HTTP {status}"))
    except ValueError:
        return f"HTTP {status}"
