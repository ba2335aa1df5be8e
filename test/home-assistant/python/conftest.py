"""A Home Assistant in the process of the tests, and a service that answers what a test wants."""

import asyncio
from contextlib import asynccontextmanager
from pathlib import Path
import ssl
from typing import Any

from aiohttp import WSMsgType, web
from aiohttp.test_utils import TestServer
import pytest

from homeassistant import bootstrap, loader
from homeassistant.auth import auth_manager_from_config
from homeassistant.config_entries import ConfigEntries
from homeassistant.core import HomeAssistant
from homeassistant.core_config import async_process_ha_core_config
from homeassistant.setup import async_setup_component

CONFIGURATION = Path(__file__).parent.parent


def control(action: str) -> dict[str, Any]:
    return {"action": action, "scopes": ["x"], "effect": "write", "has_state": True}


def entity(key: str, platform: str, group: str, **more: Any) -> dict[str, Any]:
    return {"key": key, "platform": platform, "name": key, "group": group, **more}


class Service:
    """What the machine answers; tests change it."""

    def __init__(self) -> None:
        self.token = "secret-token"
        self.id: str | None = "machine-1"
        self.name = "desk"
        self.revision = 1
        self.entities = [
            entity("power_state", "sensor", "power", device_class="enum", options=["on", "sleeping", "off"]),
            entity("memory_used", "sensor", "memory", unit="GiB", device_class="data_size", state_class="measurement"),
            entity("last_boot", "sensor", "system", device_class="timestamp", category="diagnostic"),
            entity("lid", "binary_sensor", "session"),
            entity("keep_awake", "switch", "session", control=control("session.keepawake")),
            entity("brightness", "number", "displays", min=0, max=100, step=1, control=control("displays.set")),
            entity("power_profile", "select", "session", options=["a", "b"], control=control("power.profile")),
            entity("lock", "button", "power.lock", control=control("power.lock")),
            entity("clipboard", "text", "clipboard.set", control=control("clipboard.set")),
            entity("notify", "notify", "notification.send", control=control("notification.send")),
            entity("notification", "event", "notification.send", event_types=["pressed", "closed"]),
            entity("screenshot", "button", "screen.capture", control=control("screen.capture")),
            entity("screen", "image", "screen.capture"),
            entity("media_artwork", "image", "media"),
            entity("media_player", "media_player", "media", control=control("media.control")),
            entity("media_volume", "number", "media", control=control("media.control")),
            entity("version", "update", "system", category="diagnostic"),
            entity("off_by_default", "sensor", "system", enabled=False),
        ]
        self.values: dict[str, Any] = {
            "power_state": "on",
            "memory_used": 3.5,
            "last_boot": "2026-01-02T03:04:00.000Z",
            "lid": True,
            "keep_awake": False,
            "brightness": 40,
            "power_profile": "a",
            "media_artwork": 1,
            "media_player": {"status": "playing", "title": "Song", "can": ["pause"]},
            "media_volume": 30,
            "version": {"installed_version": "6.0.0", "latest_version": "6.1.0"},
        }
        self.missing_scopes: list[str] = []
        self.whole: list[str] = []
        self.refusal: str | None = None
        self.controlled: list[tuple[str, Any]] = []
        self.ran: list[tuple[str, Any]] = []
        self.picture_type = "image/png"
        self.redirect: str | None = None
        self.socket_redirect: str | None = None
        self.greeting: bytes | None = None
        self.sockets: set[web.WebSocketResponse] = set()
        self.registered: dict[str, Any] = {}

    def description(self) -> dict[str, Any]:
        device = {"id": self.id, "name": self.name, "manufacturer": "M", "model": "X", "mac": "00:11:22:33:44:55"}
        return {
            "revision": self.revision,
            "device": {**device, "address": "10.0.0.2", "version": "6.0.0", "url": None},
            "entities": self.entities,
            "whole": self.whole,
            "missing_scopes": self.missing_scopes,
        }

    def reading(self) -> dict[str, Any]:
        return {"revision": self.revision, "values": self.values, "attributes": {"lid": {"since": 1}}}

    async def push(self, message: dict[str, Any] | None = None) -> None:
        """Send an update, or an event, to everyone who listens."""
        for socket in set(self.sockets):
            await socket.send_json(message or {"type": "DATA_UPDATE", "module": "entities", "data": self.reading()})

    async def hang_up(self) -> None:
        for socket in set(self.sockets):
            await socket.close()

    async def http(self, request: web.Request) -> web.StreamResponse:
        if request.path == "/api/health":
            return web.json_response({"status": "ok"})
        if request.headers.get("Authorization") != f"Bearer {self.token}":
            return web.json_response({"error": "unknown token"}, status=401)
        if request.path == "/api/websocket":
            if self.socket_redirect is not None:
                return web.Response(status=302, headers={"Location": self.socket_redirect})
            return await self.socket(request)
        if request.method == "POST":
            self.ran.append((request.path, await request.json()))
            if self.refusal is not None:
                return web.json_response({"error": self.refusal}, status=403)
            if request.path == "/api/screen/capture":
                return web.Response(body=b"\x89PNG picture", content_type="image/png")
            return web.json_response({"status": "success", "message": "", "data": {"by": "mpv"}})
        answers: dict[str, Any] = {
            "/api/entities": self.description(),
            "/api/data/entities": self.reading(),
            "/api/actions": [{"name": "media.play", "allowed": True, "available": True}],
        }
        if request.path == "/api/entities/picture":
            if self.redirect is not None:
                return web.Response(status=302, headers={"Location": self.redirect})
            return web.Response(body=b"cover", content_type=self.picture_type)
        return web.json_response(answers[request.path])

    async def socket(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                continue
            data = message.json()
            if data["event"] == "REGISTER_DATA_LISTENER":
                if self.greeting is not None:
                    await socket.send_bytes(self.greeting)
                    continue
                self.registered = data["data"]
                self.sockets.add(socket)
                await socket.send_json({"id": data["id"], "type": "DATA_LISTENER_REGISTERED", "data": {}})
                continue
            self.controlled.append((data["data"]["key"], data["data"]["value"]))
            if self.refusal is None:
                await socket.send_json({"id": data["id"], "type": "ENTITY_CONTROLLED", "data": {}})
            else:
                await socket.send_json({"id": data["id"], "type": "ERROR", "message": self.refusal})
        self.sockets.discard(socket)
        return socket


@asynccontextmanager
async def serving(fake: Service, tls: ssl.SSLContext | None = None):
    """Run a service on a free port."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", fake.http)
    server = TestServer(app)
    await server.start_server(ssl=tls)
    fake.port = server.port
    try:
        yield fake
    finally:
        await fake.hang_up()
        await server.close()


@pytest.fixture
async def service():
    """Run a service on a free port."""
    async with serving(Service()) as fake:
        yield fake


@pytest.fixture
async def hass(tmp_path):
    """Run the core with its registries and without a server."""
    (tmp_path / "custom_components").symlink_to(CONFIGURATION / "custom_components")
    core = HomeAssistant(str(tmp_path))
    core.config.skip_pip = True
    loader.async_setup(core)
    core.config_entries = ConfigEntries(core, {})
    await loader.async_get_custom_components(core)
    assert await bootstrap.async_load_base_functionality(core)
    core.auth = await auth_manager_from_config(core, [{"type": "homeassistant"}], [])
    await async_process_ha_core_config(core, {"internal_url": "http://10.0.0.1:8123"})
    for name in ("http", "media_source", "device_automation", "diagnostics"):
        assert await async_setup_component(core, name, {})
    # Discovery would listen on the network.
    core.config.components.add("zeroconf")
    await core.async_start()
    yield core
    await core.async_stop(force=True)


@pytest.fixture
async def entry(hass, service):
    """Add the machine with a token, as a user does."""
    yield await add(hass, service, tls=False)


async def add(hass, service, tls):
    flow = await hass.config_entries.flow.async_init("hostler", context={"source": "user"})
    address = {"host": "127.0.0.1", "port": service.port, "tls": tls}
    menu = await hass.config_entries.flow.async_configure(flow["flow_id"], address)
    assert menu["type"] == "menu"
    form = await hass.config_entries.flow.async_configure(flow["flow_id"], {"next_step_id": "token"})
    assert form["step_id"] == "token"
    done = await hass.config_entries.flow.async_configure(flow["flow_id"], {"token": service.token})
    assert done["type"] == "create_entry"
    await hass.async_block_till_done()
    await until(lambda: service.sockets)
    return done["result"]


async def until(is_true) -> None:
    """Wait for something that other tasks do."""
    async with asyncio.timeout(20):
        while not is_true():
            await asyncio.sleep(0.01)
