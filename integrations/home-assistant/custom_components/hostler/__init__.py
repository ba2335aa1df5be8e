"""Hostler: one machine with its readings, its media player and its controls."""

import aiohttp
import voluptuous as vol

from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import CONF_HOST, CONF_PORT, CONF_TOKEN
from homeassistant.core import HomeAssistant, ServiceCall, ServiceResponse, SupportsResponse
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import config_validation as cv, issue_registry as ir
from homeassistant.helpers.aiohttp_client import async_create_clientsession, async_get_clientsession
from homeassistant.helpers.service import async_register_admin_service
from homeassistant.helpers.typing import ConfigType

from .api import HostlerClient, create_ssl_context, refuse_redirects
from .const import CONF_AUTHORITY, DOMAIN, ISSUES, PLATFORMS
from .coordinator import HostlerConfigEntry, HostlerCoordinator

CONFIG_SCHEMA = cv.config_entry_only_config_schema(DOMAIN)

NOTIFY_SCHEMA = vol.Schema(
    {vol.Required("config_entry_id"): cv.string, vol.Required("notification"): dict}
)
RUN_SCHEMA = vol.Schema(
    {
        vol.Required("config_entry_id"): cv.string,
        vol.Required("action"): cv.matches_regex(r"^[a-z]+(\.[a-z]+)+$"),
        vol.Optional("input", default=dict): dict,
    }
)


def _coordinator(call: ServiceCall) -> HostlerCoordinator:
    """Return the machine that a service call names."""
    entry: HostlerConfigEntry | None = call.hass.config_entries.async_get_entry(
        call.data["config_entry_id"]
    )
    if entry is None or entry.domain != DOMAIN or entry.state is not ConfigEntryState.LOADED:
        raise ServiceValidationError(translation_domain=DOMAIN, translation_key="no_machine")
    return entry.runtime_data


async def _notify(call: ServiceCall) -> None:
    await _coordinator(call).control("notify", call.data["notification"])


async def _run(call: ServiceCall) -> ServiceResponse:
    data = await _coordinator(call).run_action(call.data["action"], call.data["input"])
    return data if isinstance(data, dict) else {"data": data}


async def async_setup(hass: HomeAssistant, config: ConfigType) -> bool:
    """Register the services."""
    hass.services.async_register(DOMAIN, "notify", _notify, NOTIFY_SCHEMA)
    async_register_admin_service(
        hass, DOMAIN, "run", _run, RUN_SCHEMA, supports_response=SupportsResponse.OPTIONAL
    )
    return True


async def async_create_client(
    hass: HomeAssistant,
    data: dict[str, object],
    token: str,
    session: aiohttp.ClientSession | None = None,
) -> HostlerClient:
    """Create the client of an entry, or of an attempt to make one."""
    authority = data.get(CONF_AUTHORITY)
    context = (
        await hass.async_add_executor_job(create_ssl_context, authority)
        if isinstance(authority, str)
        else None
    )
    return HostlerClient(
        session or async_get_clientsession(hass),
        str(data[CONF_HOST]),
        int(str(data[CONF_PORT])),
        token,
        context,
    )


async def async_setup_entry(hass: HomeAssistant, entry: HostlerConfigEntry) -> bool:
    """Connect to a machine."""
    session = async_create_clientsession(hass, middlewares=(refuse_redirects,))
    client = await async_create_client(hass, dict(entry.data), entry.data[CONF_TOKEN], session)
    coordinator = HostlerCoordinator(hass, entry, client)
    await coordinator.async_config_entry_first_refresh()
    entry.runtime_data = coordinator
    await hass.config_entries.async_forward_entry_setups(entry, PLATFORMS)
    entry.async_create_background_task(hass, coordinator.run(), f"{DOMAIN} {entry.title}")
    return True


async def async_unload_entry(hass: HomeAssistant, entry: HostlerConfigEntry) -> bool:
    """Disconnect from a machine; the background task ends with the entry."""
    return await hass.config_entries.async_unload_platforms(entry, PLATFORMS)


async def async_remove_entry(hass: HomeAssistant, entry: HostlerConfigEntry) -> None:
    """Withdraw the repairs of a machine that was removed."""
    for name in ISSUES:
        ir.async_delete_issue(hass, DOMAIN, f"{name}_{entry.entry_id}")
