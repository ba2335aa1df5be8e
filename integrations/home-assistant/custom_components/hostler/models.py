"""What the service describes; see /api/entities in its API."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Description:
    """One entity."""

    key: str
    platform: str
    name: str
    group: str
    raw: dict[str, Any]

    @property
    def is_control(self) -> bool:
        """Whether it can be controlled."""
        return "control" in self.raw

    def text(self, name: str) -> str | None:
        """Return a text, or None where it was left out."""
        value = self.raw.get(name)
        return value if isinstance(value, str) else None

    def number(self, name: str) -> float | None:
        """Return a number, or None where it was left out."""
        value = self.raw.get(name)
        return float(value) if isinstance(value, int | float) else None

    def texts(self, name: str) -> list[str]:
        """Return a list of texts, empty where it was left out."""
        value = self.raw.get(name)
        return [str(each) for each in value] if isinstance(value, list) else []


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine and everything it shows."""

    revision: float
    device: dict[str, Any]
    entities: dict[str, Description]
    whole: frozenset[str]
    missing_scopes: list[str]

    @property
    def id(self) -> str | None:
        """Return the identifier of the machine; None: it has no lasting one."""
        value = self.device.get("id")
        return value if isinstance(value, str) else None

    @property
    def name(self) -> str:
        """Return the name of the machine."""
        return str(self.device.get("name") or "Hostler")

    @classmethod
    def parse(cls, answer: dict[str, Any]) -> "Machine":
        """Parse the answer of the service."""
        return cls(
            revision=float(answer["revision"]),
            device=dict(answer["device"]),
            entities={
                str(raw["key"]): Description(
                    str(raw["key"]),
                    str(raw["platform"]),
                    str(raw["name"]),
                    str(raw.get("group", "")),
                    raw,
                )
                for raw in answer["entities"]
            },
            whole=frozenset(str(each) for each in answer["whole"]),
            missing_scopes=[str(each) for each in answer["missing_scopes"]],
        )


@dataclass(frozen=True, slots=True)
class Values:
    """The values of all entities."""

    revision: float = 0
    values: dict[str, Any] = field(default_factory=dict)
    attributes: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def parse(cls, data: dict[str, Any]) -> "Values":
        """Parse an update of the service."""
        return cls(float(data["revision"]), dict(data["values"]), dict(data["attributes"]))
