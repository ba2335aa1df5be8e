"""Binary sensor entities of Hostler."""

from typing import override

from homeassistant.components.binary_sensor import BinarySensorDeviceClass, BinarySensorEntity
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .coordinator import HostlerConfigEntry
from .entity import HostlerEntity

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant, entry: HostlerConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add the entities that the machine describes."""
    entry.runtime_data.add_platform("binary_sensor", async_add_entities, HostlerBinarySensor)


class HostlerBinarySensor(HostlerEntity, BinarySensorEntity):
    """A state that is on or off."""

    @property
    @override
    def device_class(self) -> BinarySensorDeviceClass | None:
        name = self.described.text("device_class")
        return None if name is None else BinarySensorDeviceClass(name)

    @property
    @override
    def is_on(self) -> bool | None:
        value = self.known
        return value if isinstance(value, bool) else None
