"""Notify entities of Hostler."""

from typing import override

from homeassistant.components.notify import NotifyEntity, NotifyEntityFeature
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .coordinator import HostlerConfigEntry
from .entity import HostlerEntity

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant, entry: HostlerConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add the entities that the machine describes."""
    entry.runtime_data.add_platform("notify", async_add_entities, HostlerNotify)


class HostlerNotify(HostlerEntity, NotifyEntity):
    """A notification on the screen; the service hostler.notify has buttons as well."""

    _attr_supported_features = NotifyEntityFeature.TITLE

    @override
    async def async_send_message(self, message: str, title: str | None = None) -> None:
        await self.control({"title": message} if title is None else {"title": title, "message": message})
