"""Button entities of Hostler."""

from typing import override

from homeassistant.components.button import ButtonDeviceClass, ButtonEntity
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .coordinator import HostlerConfigEntry
from .entity import HostlerEntity

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant, entry: HostlerConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add the entities that the machine describes."""
    entry.runtime_data.add_platform("button", async_add_entities, HostlerButton)


class HostlerButton(HostlerEntity, ButtonEntity):
    """An order without a value."""

    @property
    @override
    def device_class(self) -> ButtonDeviceClass | None:
        name = self.described.text("device_class")
        return None if name is None else ButtonDeviceClass(name)

    @override
    async def async_press(self) -> None:
        if self.described.group in self.coordinator.pictures:
            await self.coordinator.take_picture(self.described.group)
        else:
            await self.control()
