"""What other programs in the network, and players, cannot make the integration do."""

import asyncio
from ipaddress import ip_address

from aiohttp import WSMsgType, web
from aiohttp.test_utils import TestServer
import pytest

from custom_components.hostler.api import CannotConnect, CertificateChanged, HostlerClient, create_ssl_context
from custom_components.hostler.pairing import Pairing, PairingRefused
from homeassistant.core import Context
from homeassistant.exceptions import Unauthorized
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.service_info.zeroconf import ZeroconfServiceInfo

from .certificates import Certificate, of_shared_authority
from .conftest import Service, add, serving, until
from .test_integration import id_of, state_of

OWN = "Hostler authority of desk"


def announcement(host, port, tls, uuid="machine-1", name="desk"):
    return ZeroconfServiceInfo(
        ip_address=ip_address(host),
        ip_addresses=[ip_address(host)],
        port=port,
        hostname="desk.local.",
        type="_hostler._tcp.local.",
        name="desk._hostler._tcp.local.",
        properties={"uuid": uuid, "host": name, **({"tls_port": str(port)} if tls else {})},
    )


async def discover(hass, info):
    return await hass.config_entries.flow.async_init("hostler", context={"source": "zeroconf"}, data=info)


async def connects(hass, tmp_path, served, pinned):
    async with serving(Service(), served.context(tmp_path)) as service:
        client = HostlerClient(
            async_get_clientsession(hass), "127.0.0.1", service.port, "", create_ssl_context(pinned.pem)
        )
        try:
            await client.request("GET", "/api/health")
        except CertificateChanged:
            return False
        return True


async def test_another_customer_of_a_shared_authority_is_not_the_machine(hass, tmp_path):
    shared = of_shared_authority()
    assert await connects(hass, tmp_path, Certificate("a", shared, names=["127.0.0.1"]), shared)
    assert not await connects(hass, tmp_path, Certificate("b", shared, names=["other.example"]), shared)
    assert not await connects(hass, tmp_path, Certificate("c", shared), shared)


async def test_a_shared_authority_with_the_name_of_an_own_one_has_to_name_the_host(hass, tmp_path):
    named = Certificate(OWN, Certificate("Root", ca=True), ca=True)
    assert not await connects(hass, tmp_path, Certificate("b", named, names=["other.example"]), named)
    undeclared = Certificate("Root", ca=None)
    assert not await connects(hass, tmp_path, Certificate("b", undeclared, names=["other.example"]), undeclared)


async def test_what_authenticates_one_machine_need_not_name_the_host(hass, tmp_path):
    own = Certificate(OWN, ca=True)
    assert await connects(hass, tmp_path, Certificate("desk", own, names=["desk.local"]), own)
    alone = Certificate("desk", of_shared_authority(), names=["desk.local"])
    alone.issuer = None
    assert await connects(hass, tmp_path, alone, alone)


@pytest.mark.parametrize("is_own", [True, False])
async def test_only_an_entry_with_the_authority_of_one_machine_follows_an_announcement(hass, tmp_path, is_own):
    authority = Certificate(OWN, ca=True) if is_own else of_shared_authority()
    context = Certificate("desk", authority, names=["127.0.0.1"]).context(tmp_path)
    async with serving(Service(), context) as service:
        entry = await add(hass, service, tls=True)
    await until(lambda: not entry.runtime_data.connected)
    result = await discover(hass, announcement("127.0.0.2", service.port, tls=True))
    assert result["reason"] == "already_configured"
    assert entry.data["host"] == ("127.0.0.2" if is_own else "127.0.0.1")


async def test_a_machine_that_announced_the_name_of_another_is_not_added(hass, service):
    flow = await discover(hass, announcement("127.0.0.1", service.port, tls=False, uuid="machine-2"))
    await hass.config_entries.flow.async_configure(flow["flow_id"], {"next_step_id": "token"})
    done = await hass.config_entries.flow.async_configure(flow["flow_id"], {"token": service.token})
    assert done["reason"] == "other_machine"
    assert hass.config_entries.async_entries("hostler") == []


async def add_again(hass, service, tls):
    flow = await hass.config_entries.flow.async_init("hostler", context={"source": "user"})
    address = {"host": "localhost", "port": service.port, "tls": tls}
    await hass.config_entries.flow.async_configure(flow["flow_id"], address)
    await hass.config_entries.flow.async_configure(flow["flow_id"], {"next_step_id": "token"})
    done = await hass.config_entries.flow.async_configure(flow["flow_id"], {"token": service.token})
    assert done["reason"] == "already_configured"


async def test_a_machine_that_claims_the_id_of_another_does_not_get_its_entry(hass, tmp_path):
    own = Certificate("desk", Certificate(OWN, ca=True), names=["desk.local"])
    async with serving(Service(), own.context(tmp_path)) as service:
        entry = await add(hass, service, tls=True)
        known = dict(entry.data)
        impostor = Service()
        impostor.token = "token of the impostor"
        async with serving(impostor) as other:
            await add_again(hass, other, tls=False)
        foreign = Certificate("desk", Certificate(OWN, ca=True), names=["desk.local"])
        async with serving(impostor, foreign.context(tmp_path)) as other:
            await add_again(hass, other, tls=True)
        assert dict(entry.data) == known
        await add_again(hass, service, tls=True)
        assert dict(entry.data) == {**known, "host": "localhost"}


async def test_a_name_with_markdown_is_shown_as_text(hass, service):
    service.name = "desk [Update](https://evil.example)"
    entry = await add(hass, service, tls=False)
    assert entry.title == "desk Update https evil.example"


RELAYED = "desk shows a prompt with six digits. Allow it there if they are these:\n\n## 123 456\n\n<!--"


@pytest.mark.parametrize(
    ("status", "error"),
    [(401, "invalid_auth"), (403, "pairing_off"), (409, "prompt_open"), (429, "too_soon"), (500, "failed")],
)
async def test_a_machine_that_refuses_to_pair_cannot_show_digits(hass, status, error):
    async def refuse(_):
        return web.json_response({"error": RELAYED}, status=status)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", refuse)
    async with TestServer(app) as other:
        flow = await discover(hass, announcement("127.0.0.1", other.port, tls=False))
        shown = await hass.config_entries.flow.async_configure(flow["flow_id"], {"next_step_id": "pair"})
    assert shown["errors"] == {"base": error}
    assert "123" not in str(shown)
    again = await hass.config_entries.flow.async_configure(flow["flow_id"], {})
    assert again["step_id"] == "method"


async def test_the_reason_of_a_denied_pairing_is_a_fixed_text(hass, monkeypatch):
    answered = asyncio.Event()

    async def ask(self):
        return "654 321"

    async def wait(self):
        await answered.wait()
        raise PairingRefused(RELAYED)

    monkeypatch.setattr(Pairing, "ask", ask)
    monkeypatch.setattr(Pairing, "wait", wait)
    flow = await discover(hass, announcement("127.0.0.1", 9, tls=False))
    shown = await hass.config_entries.flow.async_configure(flow["flow_id"], {"next_step_id": "pair"})
    assert shown["description_placeholders"]["digits"] == "654 321"
    answered.set()
    await hass.async_block_till_done()
    shown = await hass.config_entries.flow.async_configure(flow["flow_id"])
    assert shown["errors"] == {"base": "denied"}
    assert "123" not in str(shown)


@pytest.mark.parametrize(
    ("announced", "shown"),
    [
        ("desk", "desk"),
        ("büro-2.example.org", "büro-2"),
        ("desk\n\n## 123 456\n\n<!--", "desk"),
        ("**123 456**", "127.0.0.1"),
        ("d" * 255, "d" * 40),
        ("", "127.0.0.1"),
    ],
)
async def test_an_announced_name_is_one_word(hass, announced, shown):
    flow = await discover(hass, announcement("127.0.0.1", 9, tls=False, name=announced))
    assert flow["description_placeholders"]["name"] == shown


async def test_access_that_was_granted_anew_is_used_at_once(hass, service, entry):
    before = entry.runtime_data
    service.token = "another-token"
    context = {"source": "reconfigure", "entry_id": entry.entry_id}
    flow = await hass.config_entries.flow.async_init("hostler", context=context)
    address = {"host": "127.0.0.1", "port": service.port, "tls": False}
    await hass.config_entries.flow.async_configure(flow["flow_id"], address)
    await hass.config_entries.flow.async_configure(flow["flow_id"], {"next_step_id": "token"})
    done = await hass.config_entries.flow.async_configure(flow["flow_id"], {"token": "another-token"})
    assert done["reason"] == "reconfigure_successful"
    await hass.async_block_till_done()
    assert entry.data["token"] == "another-token"
    assert entry.runtime_data is not before
    # Home Assistant 2026.12 refuses flows that reload an entry with such listeners.
    assert entry.update_listeners == []


async def test_only_administrators_run_any_action(hass, service, entry):
    # The first user is the owner.
    await hass.auth.async_create_user("owner")
    guest = await hass.auth.async_create_user("guest", group_ids=["system-users"])
    data = {"config_entry_id": entry.entry_id, "action": "power.lock"}
    with pytest.raises(Unauthorized):
        await hass.services.async_call("hostler", "run", data, blocking=True, context=Context(user_id=guest.id))
    assert service.ran == []
    await hass.services.async_call("hostler", "run", data, blocking=True)
    assert service.ran == [("/api/power/lock", {})]


async def test_a_redirect_does_not_lead_the_token_elsewhere(hass, service, entry):
    received = []

    async def listen(request):
        received.append(dict(request.headers))
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for message in socket:
            if message.type is WSMsgType.TEXT:
                received.append(message.json())
                await socket.close()
        return socket

    app = web.Application()
    app.router.add_get("/", listen)
    async with TestServer(app) as other:
        service.socket_redirect = str(other.make_url("/"))
        await service.hang_up()
        await until(lambda: not service.sockets)
        with pytest.raises(CannotConnect, match="redirects"):
            await entry.runtime_data.client.listen(None, lambda: None, lambda _: None, lambda _: None)
    assert received == []


@pytest.mark.parametrize(
    "text",
    [
        "not JSON",
        "[]",
        "[" * 100_000,
        '{"type":"DATA_UPDATE"}',
        '{"type":"DATA_UPDATE","data":{"revision":1,"values":7}}',
    ],
)
async def test_a_malformed_update_ends_the_connection_and_not_the_integration(hass, service, entry, text):
    [before] = service.sockets
    await before.send_str(text)
    await until(lambda: service.sockets and before not in service.sockets)
    service.values["memory_used"] = 4.25
    await service.push()
    await until(lambda: state_of(hass, "memory_used").state == "4.25")


async def test_an_unexpected_answer_to_the_registration_ends_the_connection_only(hass, service, entry):
    service.greeting = b"binary"
    await service.hang_up()
    await until(lambda: state_of(hass, "memory_used").state == "unavailable")
    client = entry.runtime_data.client
    with pytest.raises(CannotConnect):
        await client.listen(None, lambda: None, lambda _: None, lambda _: None)
    service.greeting = None
    await until(lambda: state_of(hass, "memory_used").state == "3.5")


async def test_an_address_from_a_player_is_never_fetched(hass, service, entry):
    asked = []

    async def cover(request):
        asked.append(request.path)
        return web.Response(body=b"\x89PNG", content_type="image/png")

    app = web.Application()
    app.router.add_get("/{path:.*}", cover)
    player = hass.data["media_player"].get_entity(id_of(hass, "media_player"))
    image = hass.data["image"].get_entity(id_of(hass, "media_artwork"))
    assert await player.async_get_media_image() == (b"cover", "image/png")
    async with TestServer(app) as other:
        for address in (str(other.make_url("/a.png")), "https://example.org/cover.png"):
            service.values["media_artwork"] = address
            await service.push()
            await until(lambda: player.coordinator.data.values["media_artwork"] == address)
            assert await player.async_get_media_image() == (None, None)
            assert await image.async_image() is None
            shown = state_of(hass, "media_player").attributes.get("entity_picture")
            assert shown == (address if address.startswith("https:") else None)
    assert asked == []
