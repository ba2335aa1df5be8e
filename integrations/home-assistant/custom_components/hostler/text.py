"""Text entities of Hostler."""

from typing import override

from homeassistant.components.text import TextEntity
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .coordinator import HostlerConfigEntry
from .entity import HostlerEntity

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant, entry: HostlerConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add the entities that the machine describes."""
    entry.runtime_data.add_platform("text", async_add_entities, HostlerText)


class HostlerText(HostlerEntity, TextEntity):
    """A text that can be set, such as the clipboard; the machine does not report it."""

    @property
    @override
    def native_value(self) -> str | None:
        return None

    @override
    async def async_set_value(self, value: str) -> None:
        await self.control(value)
