"""Triggers for the events of a machine; Home Assistant has those for its states."""

import voluptuous as vol

from homeassistant.components.device_automation import DEVICE_TRIGGER_BASE_SCHEMA
from homeassistant.const import (
    CONF_DEVICE_ID,
    CONF_DOMAIN,
    CONF_PLATFORM,
    CONF_TYPE,
)
from homeassistant.core import CALLBACK_TYPE, Event, HassJob, HomeAssistant, callback
from homeassistant.helpers import config_validation as cv, device_registry as dr
from homeassistant.helpers.trigger import TriggerActionType, TriggerInfo
from homeassistant.helpers.typing import ConfigType

from .const import DOMAIN, EVENT_HOSTLER
from .coordinator import HostlerConfigEntry

CONF_SUBTYPE = "subtype"

TRIGGER_SCHEMA = DEVICE_TRIGGER_BASE_SCHEMA.extend(
    {vol.Required(CONF_TYPE): cv.string, vol.Required(CONF_SUBTYPE): cv.string}
)


def _entries(hass: HomeAssistant, device_id: str) -> list[HostlerConfigEntry]:
    """Return the entries of a device."""
    device = dr.async_get(hass).async_get(device_id)
    mine = hass.config_entries.async_loaded_entries(DOMAIN)
    return [] if device is None else [each for each in mine if each.entry_id in device.config_entries]


async def async_get_triggers(hass: HomeAssistant, device_id: str) -> list[dict[str, str]]:
    """Return a trigger for each type of each event that the machine describes."""
    return [
        {
            CONF_PLATFORM: "device",
            CONF_DEVICE_ID: device_id,
            CONF_DOMAIN: DOMAIN,
            CONF_TYPE: type_,
            CONF_SUBTYPE: description.key,
        }
        for entry in _entries(hass, device_id)
        for description in entry.runtime_data.machine.entities.values()
        if description.platform == "event"
        for type_ in description.texts("event_types")
    ]


async def async_attach_trigger(
    hass: HomeAssistant, config: ConfigType, action: TriggerActionType, trigger_info: TriggerInfo
) -> CALLBACK_TYPE:
    """Listen for an event of the machine."""
    # Compared as texts: the machine chooses them, and the trigger of Home Assistant would render them as templates.
    wanted = {
        CONF_DEVICE_ID: config[CONF_DEVICE_ID],
        "key": config[CONF_SUBTYPE],
        CONF_TYPE: config[CONF_TYPE],
    }
    job = HassJob(action)

    @callback
    def happened(event: Event) -> None:
        if wanted.items() <= event.data.items():
            trigger = {
                **trigger_info["trigger_data"],
                CONF_PLATFORM: "device",
                "event": event,
                "description": f"{config[CONF_SUBTYPE]}: {config[CONF_TYPE]}",
            }
            hass.async_run_hass_job(job, {"trigger": trigger}, event.context)

    return hass.bus.async_listen(EVENT_HOSTLER, happened)
