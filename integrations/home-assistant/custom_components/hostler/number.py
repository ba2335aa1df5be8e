"""Number entities of Hostler."""

from typing import override

from homeassistant.components.number import NumberEntity
from homeassistant.components.number.const import DEFAULT_MAX_VALUE, DEFAULT_MIN_VALUE
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .coordinator import HostlerConfigEntry
from .entity import HostlerEntity

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant, entry: HostlerConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add the entities that the machine describes."""
    entry.runtime_data.add_platform("number", async_add_entities, HostlerNumber)


class HostlerNumber(HostlerEntity, NumberEntity):
    """A number that can be set."""

    @property
    @override
    def native_min_value(self) -> float:
        return self.described.number("min") or DEFAULT_MIN_VALUE

    @property
    @override
    def native_max_value(self) -> float:
        return self.described.number("max") or DEFAULT_MAX_VALUE

    @property
    @override
    def native_step(self) -> float | None:
        return self.described.number("step")

    @property
    @override
    def native_unit_of_measurement(self) -> str | None:
        return self.described.text("unit")

    @property
    @override
    def native_value(self) -> float | None:
        value = self.known
        return float(value) if isinstance(value, int | float) else None

    @override
    async def async_set_native_value(self, value: float) -> None:
        await self.control(value)
