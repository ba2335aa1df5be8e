"""Event entities of Hostler."""

from typing import Any, override

from homeassistant.components.event import EventEntity
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .coordinator import HostlerConfigEntry
from .entity import HostlerEntity

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant, entry: HostlerConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add the entities that the machine describes."""
    entry.runtime_data.add_platform("event", async_add_entities, HostlerEvent)


class HostlerEvent(HostlerEntity, EventEntity):
    """An answer to a notification, or the end of a command."""

    @property
    @override
    def event_types(self) -> list[str]:
        return self.described.texts("event_types")

    @override
    async def async_added_to_hass(self) -> None:
        await super().async_added_to_hass()
        self.async_on_remove(self.coordinator.listen_events(self.key, self._happened))

    def _happened(self, type_: str, data: dict[str, Any]) -> None:
        if type_ in self.event_types:
            self._trigger_event(type_, data)
            self.async_write_ha_state()
