"""Sensor entities of Hostler."""

from datetime import date, datetime
from decimal import Decimal
from typing import override

from homeassistant.components.sensor import SensorDeviceClass, SensorEntity, SensorStateClass
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .coordinator import HostlerConfigEntry
from .entity import HostlerEntity

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant, entry: HostlerConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add the entities that the machine describes."""
    entry.runtime_data.add_platform("sensor", async_add_entities, HostlerSensor)


class HostlerSensor(HostlerEntity, SensorEntity):
    """A number, a text or a time."""

    @property
    @override
    def available(self) -> bool:
        # It says why the others are unavailable.
        return super().available or self.key == "power_state"

    @property
    @override
    def device_class(self) -> SensorDeviceClass | None:
        name = self.described.text("device_class")
        return None if name is None else SensorDeviceClass(name)

    @property
    @override
    def state_class(self) -> SensorStateClass | None:
        name = self.described.text("state_class")
        # A text has no statistics.
        return None if name is None or isinstance(self.known, str) else SensorStateClass(name)

    @property
    @override
    def native_unit_of_measurement(self) -> str | None:
        return self.described.text("unit")

    @property
    @override
    def options(self) -> list[str] | None:
        return self.described.texts("options") or None

    @property
    @override
    def native_value(self) -> str | int | float | Decimal | date | datetime | None:
        if self.key == "power_state" and not self.coordinator.connected:
            return "sleeping" if self.coordinator.is_asleep else "off"
        value = self.known
        if value is None or isinstance(value, dict):
            return None
        if self.device_class is SensorDeviceClass.TIMESTAMP:
            return datetime.fromisoformat(str(value))
        return value if isinstance(value, int | float) else str(value)
