"""Diagnostics without secrets and without contents."""

from typing import Any

from homeassistant.components.diagnostics import async_redact_data
from homeassistant.const import CONF_HOST, CONF_TOKEN
from homeassistant.core import HomeAssistant

from .const import CONF_AUTHORITY
from .coordinator import HostlerConfigEntry

REDACTED = {CONF_TOKEN, CONF_HOST, CONF_AUTHORITY, "id", "name", "mac", "address", "url"}


async def async_get_config_entry_diagnostics(
    hass: HomeAssistant, entry: HostlerConfigEntry
) -> dict[str, Any]:
    """Return the entry, the description, and which values are known."""
    coordinator = entry.runtime_data
    machine = coordinator.machine
    return {
        "entry": async_redact_data(dict(entry.data), REDACTED),
        "options": dict(entry.options),
        "connected": coordinator.connected,
        "device": async_redact_data(machine.device, REDACTED),
        "missing_scopes": machine.missing_scopes,
        "actions": sorted(coordinator.actions),
        # Names and values may hold titles, networks and programs.
        "entities": {
            key: {
                "platform": description.platform,
                "group": description.group,
                "known": coordinator.data.values.get(key) is not None,
            }
            for key, description in machine.entities.items()
        },
    }
