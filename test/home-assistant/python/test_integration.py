"""The integration inside Home Assistant, with a service that answers what a test wants."""

import json

import pytest

from custom_components.hostler.api import HostlerError
from custom_components.hostler.device_trigger import async_attach_trigger, async_get_triggers
from custom_components.hostler.diagnostics import async_get_config_entry_diagnostics
from homeassistant.config_entries import ConfigEntryState
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import device_registry as dr, entity_registry as er, issue_registry as ir

from .conftest import entity, until


def id_of(hass, key):
    registry = er.async_get(hass)
    return next(one.entity_id for one in registry.entities.values() if one.unique_id == f"machine-1_{key}")


def state_of(hass, key):
    return hass.states.get(id_of(hass, key))


async def call(hass, domain, name, key=None, **data):
    target = {} if key is None else {"entity_id": id_of(hass, key)}
    return await hass.services.async_call(
        domain, name, {**target, **data}, blocking=True, return_response=data.pop("response", False)
    )


async def test_entities_show_the_values(hass, service, entry):
    expected = {
        "power_state": "on",
        "memory_used": "3.5",
        "last_boot": "2026-01-02T03:04:00+00:00",
        "lid": "on",
        "keep_awake": "off",
        "brightness": "40.0",
        "power_profile": "a",
        "clipboard": "unknown",
        "screen": "unknown",
        "media_player": "playing",
        "version": "on",
    }
    assert {key: state_of(hass, key).state for key in expected} == expected
    assert state_of(hass, "lid").attributes["since"] == 1
    assert er.async_get(hass).async_get(id_of(hass, "off_by_default")).disabled_by is not None
    assert state_of(hass, "memory_used").attributes["unit_of_measurement"] == "GiB"


async def test_updates_are_pushed(hass, service, entry):
    service.values["memory_used"] = 4.25
    await service.push()
    await until(lambda: state_of(hass, "memory_used").state == "4.25")


async def test_controls_send_values(hass, service, entry):
    await call(hass, "switch", "turn_on", "keep_awake")
    await call(hass, "number", "set_value", "brightness", value=55)
    await call(hass, "select", "select_option", "power_profile", option="b")
    await call(hass, "button", "press", "lock")
    await call(hass, "text", "set_value", "clipboard", value="copied")
    await call(hass, "notify", "send_message", "notify", message="Hello", title="Door")
    await call(hass, "media_player", "media_pause", "media_player")
    await call(hass, "media_player", "volume_set", "media_player", volume_level=0.5)
    assert service.controlled == [
        ("keep_awake", True),
        ("brightness", 55),
        ("power_profile", "b"),
        ("lock", None),
        ("clipboard", "copied"),
        ("notify", {"title": "Door", "message": "Hello"}),
        ("media_player", {"action": "PAUSE"}),
        ("media_volume", 50),
    ]
    assert "copied" not in json.dumps([state.as_dict() for state in hass.states.async_all()], default=str)


async def test_a_refusal_is_shown_with_its_reason(hass, service, entry):
    service.refusal = 'The token lacks the scope "power"'
    with pytest.raises(HomeAssistantError, match="lacks the scope"):
        await call(hass, "button", "press", "lock")
    with pytest.raises(HomeAssistantError, match="lacks the scope"):
        await call(hass, "hostler", "run", config_entry_id=entry.entry_id, action="power.lock")
    with pytest.raises(ServiceValidationError):
        await call(hass, "hostler", "run", config_entry_id="another", action="power.lock")


async def test_a_sound_is_played_by_the_machine(hass, service, entry):
    await call(
        hass, "media_player", "play_media", "media_player", media_content_id="/local/bell.mp3", media_content_type="music"
    )
    path, body = service.ran[-1]
    assert path == "/api/media/play"
    assert body["url"].startswith("http://10.0.0.1:8123/local/bell.mp3")


async def test_a_screenshot_is_taken_by_its_button_only(hass, service, entry):
    assert [path for path, _ in service.ran] == []
    await call(hass, "button", "press", "screenshot")
    assert service.ran == [("/api/screen/capture", {})]
    assert service.controlled == []
    await until(lambda: state_of(hass, "screen").state != "unknown")
    image = hass.data["image"].get_entity(id_of(hass, "screen"))
    assert await image.async_image() == b"\x89PNG picture"
    assert image.content_type == "image/png"
    artwork = hass.data["image"].get_entity(id_of(hass, "media_artwork"))
    assert await artwork.async_image() == b"cover"


async def test_only_pictures_are_passed_on_and_redirects_are_not_followed(hass, service, entry):
    client = entry.runtime_data.client
    assert (await client.picture("media_artwork")).body == b"cover"
    for type_ in ("text/html", "image/svg+xml"):
        service.picture_type = type_
        with pytest.raises(HostlerError, match="not a picture"):
            await client.picture("media_artwork")
    service.redirect = "/api/health"
    with pytest.raises(HostlerError, match="redirects"):
        await client.picture("media_artwork")


async def test_events_change_their_entity_and_fire_triggers(hass, service, entry):
    device = dr.async_get(hass).async_get_device({("hostler", "machine-1")})
    triggers = await async_get_triggers(hass, device.id)
    assert [(one["type"], one["subtype"]) for one in triggers] == [
        ("pressed", "notification"),
        ("closed", "notification"),
    ]
    fired = []

    async def action(variables, context=None):
        fired.append(variables["trigger"]["event"].data["data"])

    info = {"domain": "test", "name": "test", "home_assistant_start": False, "variables": {}, "trigger_data": {}}
    remove = await async_attach_trigger(hass, triggers[0], action, info)
    event = {"key": "notification", "type": "pressed", "data": {"command": "open"}}
    await service.push({"type": "ENTITY_EVENT", "data": event})
    await until(lambda: fired)
    await service.push({"type": "ENTITY_EVENT", "data": {**event, "type": "closed"}})
    await until(lambda: state_of(hass, "notification").attributes["event_type"] == "closed")
    assert fired == [{"command": "open"}]
    remove()


async def test_a_stopped_service_is_unavailable_until_it_is_back(hass, service, entry):
    await service.hang_up()
    await until(lambda: state_of(hass, "memory_used").state == "unavailable")
    assert state_of(hass, "power_state").state == "off"
    await until(lambda: state_of(hass, "memory_used").state == "3.5")


async def test_a_sleeping_machine_keeps_its_states(hass, service, entry):
    service.values["power_state"] = "sleeping"
    await service.push()
    await until(lambda: state_of(hass, "power_state").state == "sleeping")
    await service.hang_up()
    await until(lambda: state_of(hass, "lock").state == "unavailable")
    assert state_of(hass, "memory_used").state == "3.5"


async def test_a_changed_description_adds_and_removes_entities(hass, service, entry):
    service.entities.append(entity("custom_room", "sensor", "custom"))
    service.whole = ["custom"]
    service.values["custom_room"] = "warm"
    service.revision = 2
    await service.push()
    await until(lambda: any(state.state == "warm" for state in hass.states.async_all()))
    service.entities.pop()
    service.revision = 3
    await service.push()
    await until(lambda: all(state.state != "warm" for state in hass.states.async_all()))


async def test_missing_scopes_are_a_repair_if_the_integration_asks_for_them(hass, service, entry):
    issues = ir.async_get(hass)
    own = lambda: [issue for (domain, _), issue in issues.issues.items() if domain == "hostler"]
    assert own() == []
    service.missing_scopes = ["clipboard"]
    service.revision = 2
    await service.push()
    await until(lambda: entry.runtime_data.machine.revision == 2)
    own = lambda: [issue for (domain, _), issue in issues.issues.items() if domain == "hostler"]
    assert own() == []
    service.missing_scopes = ["clipboard", "power"]
    service.revision = 3
    await service.push()
    await until(own)
    [issue] = own()
    assert issue.translation_placeholders["scopes"] == "power"
    service.missing_scopes = []
    service.revision = 4
    await service.push()
    await until(lambda: not own())
    service.missing_scopes = ["power"]
    service.revision = 5
    await service.push()
    await until(own)
    await hass.config_entries.async_remove(entry.entry_id)
    assert own() == []


async def test_a_revoked_token_asks_for_access_again(hass, service, entry):
    service.token = "another"
    await hass.config_entries.async_reload(entry.entry_id)
    assert entry.state is ConfigEntryState.SETUP_ERROR
    [flow] = hass.config_entries.flow.async_progress()
    assert flow["context"]["source"] == "reauth"
    await hass.config_entries.flow.async_configure(flow["flow_id"], {})
    await hass.config_entries.flow.async_configure(flow["flow_id"], {"next_step_id": "token"})
    done = await hass.config_entries.flow.async_configure(flow["flow_id"], {"token": "another"})
    assert done["reason"] == "reauth_successful"
    await hass.async_block_till_done()
    assert entry.state is ConfigEntryState.LOADED


async def test_another_machine_is_refused_when_reconfigured(hass, service, entry):
    service.id = "machine-2"
    flow = await hass.config_entries.flow.async_init(
        "hostler", context={"source": "reconfigure", "entry_id": entry.entry_id}
    )
    address = {"host": "127.0.0.1", "port": service.port, "tls": False}
    await hass.config_entries.flow.async_configure(flow["flow_id"], address)
    await hass.config_entries.flow.async_configure(flow["flow_id"], {"next_step_id": "token"})
    done = await hass.config_entries.flow.async_configure(flow["flow_id"], {"token": "secret-token"})
    assert done["reason"] == "other_machine"


async def test_the_same_machine_is_added_once(hass, service, entry):
    flow = await hass.config_entries.flow.async_init("hostler", context={"source": "user"})
    wrong = {"host": "127.0.0.1", "port": 1, "tls": False}
    form = await hass.config_entries.flow.async_configure(flow["flow_id"], wrong)
    assert form["errors"] == {"base": "cannot_connect"}
    await hass.config_entries.flow.async_configure(flow["flow_id"], {**wrong, "port": service.port})
    await hass.config_entries.flow.async_configure(flow["flow_id"], {"next_step_id": "token"})
    form = await hass.config_entries.flow.async_configure(flow["flow_id"], {"token": "wrong"})
    assert form["errors"] == {"base": "invalid_auth"}
    done = await hass.config_entries.flow.async_configure(flow["flow_id"], {"token": "secret-token"})
    assert done["reason"] == "already_configured"


async def test_options_leave_out_a_module_and_set_the_interval(hass, service, entry):
    flow = await hass.config_entries.options.async_init(entry.entry_id)
    await hass.config_entries.options.async_configure(flow["flow_id"], {"interval": 60, "excluded": ["memory"]})
    await hass.async_block_till_done()
    await until(lambda: service.registered.get("interval") == 60000)
    assert state_of(hass, "memory_used").state in ("unavailable", "unknown") or state_of(hass, "memory_used") is None


async def test_diagnostics_have_no_secret(hass, service, entry):
    text = json.dumps(await async_get_config_entry_diagnostics(hass, entry))
    for secret in ("secret-token", "127.0.0.1", "machine-1", "desk", "00:11:22", "Song"):
        assert secret not in text


async def test_an_entry_can_be_unloaded_and_removed(hass, service, entry):
    assert await hass.config_entries.async_unload(entry.entry_id)
    assert state_of(hass, "memory_used").state == "unavailable"
    await until(lambda: not service.sockets)
    await hass.config_entries.async_remove(entry.entry_id)
    assert [one for one in er.async_get(hass).entities.values() if one.platform == "hostler"] == []
