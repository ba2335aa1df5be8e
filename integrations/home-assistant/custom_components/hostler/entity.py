"""What all entities have in common."""

from typing import Any, override

from homeassistant.const import EntityCategory
from homeassistant.helpers.update_coordinator import CoordinatorEntity

from .coordinator import HostlerCoordinator
from .models import Description


# What they mean is for Home Assistant to say: a machine must not make browsers load a picture, or place itself on the map.
OF_HOME_ASSISTANT = frozenset(
    "assumed_state attribution device_class editable entity_id entity_picture friendly_name gps_accuracy icon latitude longitude"
    " restored source_type supported_features unit_of_measurement".split()
)


class HostlerEntity(CoordinatorEntity[HostlerCoordinator]):
    """An entity that the machine describes."""

    _attr_has_entity_name = True

    def __init__(self, coordinator: HostlerCoordinator, description: Description) -> None:
        """Create the entity of a description."""
        super().__init__(coordinator)
        self.key = description.key
        self._first = description
        self._attr_unique_id = f"{coordinator.machine_id}_{description.key}"
        self._attr_name = description.name
        self._attr_icon = description.text("icon")
        self._attr_device_info = coordinator.device_info
        self._attr_entity_registry_enabled_default = description.raw.get("enabled", True) is True
        if description.text("category") == "diagnostic":
            self._attr_entity_category = EntityCategory.DIAGNOSTIC

    @property
    def described(self) -> Description:
        """Return the newest description."""
        return self.coordinator.machine.entities.get(self.key, self._first)

    @property
    def known(self) -> Any:
        """Return the value; None: unknown."""
        return self.coordinator.data.values.get(self.key)

    @property
    @override
    def available(self) -> bool:
        # A sleeping machine keeps its last states, and cannot be controlled.
        if self.coordinator.is_asleep:
            return not self._first.is_control
        return self.coordinator.connected and self.key in self.coordinator.machine.entities

    @property
    @override
    def extra_state_attributes(self) -> dict[str, Any] | None:
        given = self.coordinator.data.attributes.get(self.key)
        return given and {name: value for name, value in given.items() if name not in OF_HOME_ASSISTANT}

    async def control(self, value: Any = None) -> None:
        """Send a value to the machine."""
        await self.coordinator.control(self.key, value)
