"""Switch entities of Hostler."""

from typing import Any, override

from homeassistant.components.switch import SwitchEntity
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .coordinator import HostlerConfigEntry
from .entity import HostlerEntity

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant, entry: HostlerConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add the entities that the machine describes."""
    entry.runtime_data.add_platform("switch", async_add_entities, HostlerSwitch)


class HostlerSwitch(HostlerEntity, SwitchEntity):
    """A control that is on or off."""

    @property
    @override
    def is_on(self) -> bool | None:
        value = self.known
        return value if isinstance(value, bool) else None

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        await self.control(True)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        await self.control(False)
