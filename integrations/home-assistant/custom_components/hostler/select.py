"""Select entities of Hostler."""

from typing import override

from homeassistant.components.select import SelectEntity
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .coordinator import HostlerConfigEntry
from .entity import HostlerEntity

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant, entry: HostlerConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add the entities that the machine describes."""
    entry.runtime_data.add_platform("select", async_add_entities, HostlerSelect)


class HostlerSelect(HostlerEntity, SelectEntity):
    """A choice."""

    @property
    @override
    def options(self) -> list[str]:
        return self.described.texts("options")

    @property
    @override
    def current_option(self) -> str | None:
        value = self.known
        return value if isinstance(value, str) and value in self.options else None

    @override
    async def async_select_option(self, option: str) -> None:
        await self.control(option)
