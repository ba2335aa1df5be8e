// Made by "npm run generate" from the schema of the settings. Do not edit.
import type { PlainRules } from './plain-settings.ts';

export const plainRules: PlainRules = {
  "autostart": {
    "kind": "boolean"
  },
  "systemTray": {
    "kind": "boolean"
  },
  "logLevel": {
    "kind": "one",
    "of": [
      "DEBUG",
      "INFO",
      "WARN",
      "ERROR"
    ]
  },
  "logFormat": {
    "kind": "one",
    "of": [
      "text",
      "json"
    ]
  },
  "services.allowlist": {
    "kind": "list",
    "max": 1000,
    "item": {
      "kind": "text",
      "pattern": "^(?:(?:user:)?[A-Za-z0-9:_.\\\\@-]{1,246}(?<!@)\\.(?:service|timer|socket|path|mount)|[A-Za-z0-9_][A-Za-z0-9 _.$()+&#-]{0,255}(?<! ))$"
    }
  },
  "containers.allowlist": {
    "kind": "list",
    "max": 1000,
    "item": {
      "kind": "text",
      "pattern": "^[A-Za-z0-9][A-Za-z0-9_.-]{0,254}$"
    }
  },
  "containers.sockets": {
    "kind": "list",
    "max": 16,
    "item": {
      "kind": "text",
      "max": 4096,
      "pattern": "^\\/[^\\0]*$"
    }
  },
  "disks.allowedSecondaryMountPoints": {
    "kind": "list",
    "max": 1000,
    "item": {
      "kind": "text",
      "max": 4096
    }
  },
  "files.hidden": {
    "kind": "boolean"
  },
  "battery.nut": {
    "kind": "text",
    "max": 262,
    "pattern": "^$|^([A-Za-z0-9_.-]{1,253}|\\[[0-9A-Fa-f:.]{2,45}\\])(:[0-9]{1,5})?$"
  },
  "server.host": {
    "kind": "text",
    "max": 255
  },
  "server.port": {
    "kind": "int",
    "min": 1,
    "max": 65535
  },
  "server.plain": {
    "kind": "one",
    "of": [
      "everywhere",
      "local",
      "off"
    ]
  },
  "server.tls": {
    "kind": "one",
    "of": [
      "off",
      "auto",
      "files"
    ]
  },
  "server.tlsPort": {
    "kind": "int",
    "min": 1,
    "max": 65535
  },
  "server.tlsCertificate": {
    "kind": "text",
    "max": 4096
  },
  "server.tlsKey": {
    "kind": "text",
    "max": 4096
  },
  "server.basePath": {
    "kind": "text",
    "max": 200,
    "pattern": "^(?!\\/(?:api|metrics|oauth|\\.well-known)(?:\\/|$))(?:\\/(?!\\.{1,2}(?:\\/|$))[A-Za-z0-9._~-]+)*$"
  },
  "server.trustedProxies": {
    "kind": "list",
    "max": 20,
    "item": {
      "kind": "text",
      "pattern": "^[0-9a-f.:]{2,45}$"
    }
  },
  "security.remoteAdmin": {
    "kind": "boolean"
  },
  "mcp.mode": {
    "kind": "one",
    "of": [
      "read_only",
      "standard",
      "full"
    ]
  },
  "mcp.allowRemote": {
    "kind": "boolean"
  },
  "mcp.trustClientConfirmation": {
    "kind": "boolean"
  },
  "mcp.oauth": {
    "kind": "boolean"
  },
  "pairing.enabled": {
    "kind": "boolean"
  },
  "discovery.enabled": {
    "kind": "boolean"
  },
  "discovery.quiet": {
    "kind": "boolean"
  },
  "metrics.enabled": {
    "kind": "boolean"
  },
  "glances.enabled": {
    "kind": "boolean"
  },
  "glances.privatePath": {
    "kind": "boolean"
  },
  "mqtt.username": {
    "kind": "text",
    "max": 256
  },
  "mqtt.caFile": {
    "kind": "text",
    "max": 4096
  },
  "mqtt.certificateFile": {
    "kind": "text",
    "max": 4096
  },
  "mqtt.keyFile": {
    "kind": "text",
    "max": 4096
  },
  "mqtt.serverName": {
    "kind": "text",
    "max": 255
  },
  "mqtt.topic": {
    "kind": "text",
    "pattern": "^[A-Za-z0-9_-]{1,64}(?:\\/[A-Za-z0-9_-]{1,64}){0,4}$"
  },
  "mqtt.interval": {
    "kind": "int",
    "min": 1,
    "max": 3600
  },
  "mqtt.modules": {
    "kind": "list",
    "max": 64,
    "item": {
      "kind": "text",
      "max": 32
    }
  },
  "mqtt.scopes": {
    "kind": "list",
    "max": 13,
    "item": {
      "kind": "one",
      "of": [
        "read",
        "files",
        "media",
        "notify",
        "chat",
        "control",
        "input",
        "pointer",
        "power",
        "processes",
        "services",
        "containers",
        "command"
      ]
    }
  },
  "mqtt.discovery": {
    "kind": "one",
    "of": [
      "device",
      "entity",
      "off"
    ]
  },
  "otlp.endpoint": {
    "kind": "either",
    "of": [
      {
        "kind": "one",
        "of": [
          ""
        ]
      },
      {
        "kind": "url",
        "max": 2048,
        "protocol": "^https?$"
      }
    ]
  },
  "otlp.encoding": {
    "kind": "one",
    "of": [
      "protobuf",
      "json"
    ]
  },
  "otlp.interval": {
    "kind": "int",
    "min": 5,
    "max": 3600
  },
  "otlp.headersFile": {
    "kind": "text",
    "max": 4096
  },
  "otlp.caFile": {
    "kind": "text",
    "max": 4096
  },
  "history.enabled": {
    "kind": "boolean"
  },
  "history.interval": {
    "kind": "int",
    "min": 5,
    "max": 300
  },
  "history.batteryInterval": {
    "kind": "int",
    "min": 5,
    "max": 300
  },
  "session.idleAfter": {
    "kind": "int",
    "min": 1,
    "max": 86400
  },
  "screen.allowed": {
    "kind": "boolean"
  },
  "screen.askForAgents": {
    "kind": "boolean"
  },
  "chat.oauthUrl": {
    "kind": "either",
    "of": [
      {
        "kind": "one",
        "of": [
          ""
        ]
      },
      {
        "kind": "url",
        "max": 2048,
        "protocol": "^https?$"
      }
    ]
  },
  "releases.url": {
    "kind": "either",
    "of": [
      {
        "kind": "one",
        "of": [
          ""
        ]
      },
      {
        "kind": "url",
        "max": 2048,
        "protocol": "^https?$"
      }
    ]
  },
  "mqtt.url": {
    "kind": "either",
    "of": [
      {
        "kind": "one",
        "of": [
          ""
        ]
      },
      {
        "kind": "url",
        "max": 2048,
        "protocol": "^(?:mqtts?|wss?)$",
        "pattern": "^[^@]*$"
      }
    ]
  }
};
