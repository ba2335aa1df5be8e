// Made by "npm run generate" from the schemas of modules and actions.

/** What each module says. */
export interface ModulePayloads {
  /** Outputs, inputs and what programs play and record, with their volumes */
  audio: {
    /** Sound server and its version */
    server: string | null;
    /** Output that programs use unless they choose, by its id */
    default_sink: string | null;
    /** Input that programs use unless they choose, by its id */
    default_source: string | null;
    /** Outputs, such as speakers */
    sinks: {
      /** Name by which AUDIO_CONTROL takes it */
      id: string;
      /** Name for people */
      name: string;
      /** Whether programs use it unless they choose */
      is_default: boolean;
      /** Percent of the loudest channel; above 100 it is made louder than it is */
      volume: number;
      is_muted: boolean;
      /** running: something plays or records; suspended: switched off to save power */
      state: 'running' | 'idle' | 'suspended' | null;
      /** Where sound comes out or in, such as Headphones; null: there is no choice */
      port: string | null;
    }[];
    /** Inputs, such as microphones */
    sources: {
      /** Name by which AUDIO_CONTROL takes it */
      id: string;
      /** Name for people */
      name: string;
      /** Whether programs use it unless they choose */
      is_default: boolean;
      /** Percent of the loudest channel; above 100 it is made louder than it is */
      volume: number;
      is_muted: boolean;
      /** running: something plays or records; suspended: switched off to save power */
      state: 'running' | 'idle' | 'suspended' | null;
      /** Where sound comes out or in, such as Headphones; null: there is no choice */
      port: string | null;
      /** Output whose sound it repeats, by its id; null: a real input */
      monitor_of: string | null;
    }[];
    /** What programs play and record */
    streams: {
      /** Number by which AUDIO_CONTROL takes it, together with its kind */
      id: number;
      kind: 'playback' | 'recording';
      /** Name of the program */
      application: string | null;
      /** What it plays or records, as the program calls it */
      title: string | null;
      /** Process id */
      process: number | null;
      /** Output or input that it uses, by its id */
      device: string | null;
      /** Percent; null: the stream has no volume of its own */
      volume: number | null;
      is_muted: boolean;
      /** Paused by the program itself */
      is_paused: boolean;
    }[];
  };
  /** Charge level of the batteries that feed the machine */
  battery: {
    /** Whether the battery is charging */
    is_charging: boolean | null;
    /** Charge level of all batteries together, 0-100 */
    percentage: number | null;
    /** Time until empty, or until full while charging, seconds */
    time_remaining: number | null;
  };
  /** State of the local voice-chat application */
  chat: {
    /** Whether the service is connected to the application */
    connected: boolean;
    /** Whether the application accepted the authorization */
    authenticated: boolean;
    /** Account of the user */
    user: {
      /** Account id */
      id: string;
      /** Account name */
      username: string;
      /** Display name */
      global_name: string | null;
      /** Address of the picture; never fetched by the service */
      avatar_url: string | null;
    } | null;
    /** The voice channel the user is in; null when in none */
    call: {
      /** The voice channel */
      channel: {
        /** Channel id */
        id: string;
        /** Channel name */
        name: string | null;
        /** Kind of channel */
        type: 'GUILD_VOICE' | 'GUILD_STAGE_VOICE' | 'DM' | 'GROUP_DM';
        /** Bits per second */
        bitrate: number | null;
        /** How many may join; 0: no limit */
        user_limit: number | null;
      };
      /** The server; null for direct-message calls */
      server: {
        /** Server id */
        id: string;
        /** Server name */
        name: string;
        /** Address of the icon; never fetched by the service */
        icon_url: string | null;
      } | null;
      /** The voice connection; null until reported */
      connection: {
        /** Such as VOICE_CONNECTED, CONNECTING, NO_ROUTE */
        state: string;
        /** Last round trip, milliseconds */
        last_ping: number | null;
        /** Average round trip, milliseconds */
        average_ping: number | null;
      } | null;
      /** The user's own entry in members */
      me: {
        /** Account */
        user: {
          /** Account id */
          id: string;
          /** Account name */
          username: string;
          /** Display name */
          global_name: string | null;
          /** Address of the picture; never fetched by the service */
          avatar_url: string | null;
        };
        /** Name in the call */
        nick: string | null;
        /** Muted by a moderator */
        server_mute: boolean;
        /** Deafened by a moderator */
        server_deaf: boolean;
        /** Muted by themselves */
        self_mute: boolean;
        /** Deafened by themselves */
        self_deaf: boolean;
        /** Cannot talk, such as in an AFK channel or as a stage listener */
        suppress: boolean;
        /** Whether they speak now */
        speaking: boolean;
        /** Muted by the user for themselves; null for the own entry */
        local_mute: boolean | null;
        /** Volume chosen by the user, 0-200; null for the own entry */
        volume: number | null;
      } | null;
      /** Everyone in the call, the user included */
      members: {
        /** Account */
        user: {
          /** Account id */
          id: string;
          /** Account name */
          username: string;
          /** Display name */
          global_name: string | null;
          /** Address of the picture; never fetched by the service */
          avatar_url: string | null;
        };
        /** Name in the call */
        nick: string | null;
        /** Muted by a moderator */
        server_mute: boolean;
        /** Deafened by a moderator */
        server_deaf: boolean;
        /** Muted by themselves */
        self_mute: boolean;
        /** Deafened by themselves */
        self_deaf: boolean;
        /** Cannot talk, such as in an AFK channel or as a stage listener */
        suppress: boolean;
        /** Whether they speak now */
        speaking: boolean;
        /** Muted by the user for themselves; null for the own entry */
        local_mute: boolean | null;
        /** Volume chosen by the user, 0-200; null for the own entry */
        volume: number | null;
      }[];
    } | null;
    /** Whether the user is muted */
    mute: boolean | null;
    /** Whether the user is deafened */
    deaf: boolean | null;
    /** Microphone */
    input: {
      /** Volume, 0-100 */
      volume: number;
      /** Selected device; "default" follows the system */
      device_id: string;
      /** Usable devices */
      devices: {
        /** Device id */
        id: string;
        /** Device name */
        name: string;
      }[];
    } | null;
    /** Output */
    output: {
      /** Volume, 0-200 */
      volume: number;
      /** Selected device; "default" follows the system */
      device_id: string;
      /** Usable devices */
      devices: {
        /** Device id */
        id: string;
        /** Device name */
        name: string;
      }[];
    } | null;
    /** Voice mode */
    mode: {
      /** How speaking is detected */
      type: 'VOICE_ACTIVITY' | 'PUSH_TO_TALK';
      /** Whether the application sets the sensitivity */
      auto_threshold: boolean;
      /** Voice-activity sensitivity, dB */
      threshold: number;
      /** Push-to-talk release delay, milliseconds */
      delay: number;
    } | null;
    /** Voice processing */
    processing: {
      /** Noise suppression */
      noise_suppression: boolean;
      /** Echo cancellation */
      echo_cancellation: boolean;
      /** Automatic gain control */
      automatic_gain_control: boolean;
    } | null;
    /** Whether voice packets get priority */
    qos: boolean | null;
    /** Whether a silent microphone is warned about */
    silence_warning: boolean | null;
  };
  /** The processor: usage, times, frequency, power, temperature and voltage, in sum and for every core */
  cpu: {
    /** Logical cores that are online */
    count: number | null;
    /** Model of the processor; several kinds of cores are joined with + */
    name: string | null;
    /** Who made or designed the processor */
    vendor: string | null;
    /** Family number of an x86 processor, architecture of others */
    family: string | null;
    /** Frequency of all cores on average */
    frequency: {
      /** Frequency of all cores on average now, MHz */
      current: number | null;
      /** Lowest frequency that is allowed, MHz */
      min: number | null;
      /** Highest frequency that is allowed, MHz */
      max: number | null;
    };
    /** Processes that ran or waited to run, on average of the last minute; null on Windows */
    load_average: number | null;
    /** Every logical core in the order of ids; one that is switched off has nulls */
    per_cpu: {
      /** Number of the logical core; it stays while others come and go */
      id: number;
      /** Frequency of this core */
      frequency: {
        /** Frequency of this core now, MHz */
        current: number | null;
        /** Lowest frequency that is allowed, MHz */
        min: number | null;
        /** Highest frequency that is allowed, MHz */
        max: number | null;
      };
      /** Power draw of this core, watts */
      power: number | null;
      /** What this core spent its time on */
      times: {
        /** Programs, other than niced ones, seconds since boot */
        user: number | null;
        /** The kernel, on behalf of programs, seconds since boot */
        system: number | null;
        /** Nothing to do; waiting for disks does not count, seconds since boot */
        idle: number | null;
        /** Serving hardware interrupts, seconds since boot */
        interrupt: number | null;
        /** Deferred procedure calls; Windows only, seconds since boot */
        dpc: number | null;
      };
      /** What this core spent its time on since the last reading */
      times_percent: {
        /** Programs, other than niced ones, 0-100 */
        user: number | null;
        /** The kernel, on behalf of programs, 0-100 */
        system: number | null;
        /** Nothing to do; waiting for disks and time taken by other virtual machines do not count, 0-100 */
        idle: number | null;
        /** Serving hardware interrupts, 0-100 */
        interrupt: number | null;
        /** Deferred procedure calls; Windows only, 0-100 */
        dpc: number | null;
      };
      /** Share of the time this core was busy since the last reading, 0-100 */
      usage: number | null;
      /** Voltage of this core, volts */
      voltage: number | null;
    }[];
    /** Power draw of all processor packages, watts */
    power: number | null;
    /** Counters */
    stats: {
      /** Context switches since boot */
      ctx_switches: number | null;
      /** Hardware interrupts since boot */
      interrupts: number | null;
      /** Soft interrupts since boot */
      soft_interrupts: number | null;
      /** System calls; null on Linux since boot */
      syscalls: number | null;
    };
    /** Temperature of the processor package, the hottest of several, °C */
    temperature: number | null;
    /** What the processor in sum spent its time on */
    times: {
      /** Programs, other than niced ones, seconds since boot */
      user: number | null;
      /** The kernel, on behalf of programs, seconds since boot */
      system: number | null;
      /** Nothing to do; waiting for disks does not count, seconds since boot */
      idle: number | null;
      /** Serving hardware interrupts, seconds since boot */
      interrupt: number | null;
      /** Deferred procedure calls; Windows only, seconds since boot */
      dpc: number | null;
    };
    /** What the processor in sum spent its time on since the last reading */
    times_percent: {
      /** Programs, other than niced ones, 0-100 */
      user: number | null;
      /** The kernel, on behalf of programs, 0-100 */
      system: number | null;
      /** Nothing to do; waiting for disks and time taken by other virtual machines do not count, 0-100 */
      idle: number | null;
      /** Serving hardware interrupts, 0-100 */
      interrupt: number | null;
      /** Deferred procedure calls; Windows only, 0-100 */
      dpc: number | null;
    };
    /** Share of the time all cores were busy since the last reading, 0-100 */
    usage: number | null;
    /** Core voltage, volts */
    voltage: number | null;
  };
  /** Disks, what of them is mounted, how full that is, and what they have read and written */
  disks: {
    /** Physical disks, then volumes over several of them, then network file systems */
    devices: {
      /** Disk, such as nvme0n1; for network file systems what is mounted */
      name: string;
      /** What of it is mounted, by mount point */
      partitions: {
        /** Device, server or pool that is mounted, such as /dev/nvme0n1p2 or nas:/volume1 */
        device: string;
        /** Where it is mounted */
        mount_point: string;
        /** Type of the file system, such as ext4 */
        filesystem_type: string;
        /** Mount options, separated by commas */
        options: string;
        /** primary: the file system itself; bind: a part or a copy of one; squashfs: a package of a program */
        category: 'primary' | 'bind' | 'squashfs';
        /** How full it is */
        usage: {
          /** Size, bytes */
          total: number;
          /** In use, bytes */
          used: number;
          /** What everybody can still have, bytes */
          free: number;
          /** Share in use of what everybody can have, 0-100 */
          percent: number;
        } | null;
        /** Largest file it can hold; 0 when unknown, bytes */
        max_file_size: number;
        /** Longest path, bytes; 0 when unknown */
        max_path_length: number;
      }[];
      /** What the disk has done */
      io_counters: {
        /** Reads completed since boot */
        read_count: number;
        /** Writes completed since boot */
        write_count: number;
        /** Read since boot, bytes */
        read_bytes: number;
        /** Written since boot, bytes */
        write_bytes: number;
        /** Time spent on reads since boot, milliseconds */
        read_time: number;
        /** Time spent on writes since boot, milliseconds */
        write_time: number;
      } | null;
      /** Degrees Celsius */
      temperature: number | null;
    }[];
    /** What all physical disks together have done */
    io_counters: {
      /** Reads completed since boot */
      read_count: number;
      /** Writes completed since boot */
      write_count: number;
      /** Read since boot, bytes */
      read_bytes: number;
      /** Written since boot, bytes */
      write_bytes: number;
      /** Time spent on reads since boot, milliseconds */
      read_time: number;
      /** Time spent on writes since boot, milliseconds */
      write_time: number;
    } | null;
  };
  /** Connected displays: resolution, position, size and refresh rate */
  displays: {
    /** Display identifier */
    id: string;
    /** Display name */
    name: string;
    /** Horizontal resolution, pixels; 0 when unknown */
    resolution_horizontal: number;
    /** Vertical resolution, pixels; 0 when unknown */
    resolution_vertical: number;
    /** X position in the virtual desktop, pixels */
    x: number;
    /** Y position in the virtual desktop, pixels */
    y: number;
    /** Physical width, millimetres; Linux only */
    width: number | null;
    /** Physical height, millimetres; Linux only */
    height: number | null;
    /** Whether this is the primary display */
    is_primary: boolean | null;
    /** Pixel clock, MHz */
    pixel_clock: number | null;
    /** Refresh rate, Hz */
    refresh_rate: number | null;
  }[];
  /** Graphics processors: clocks, load, memory, power and temperature */
  gpus: {
    /** Where the GPU is, such as its PCI address: the same after a restart */
    id: string;
    /** Vendor and model */
    name: string;
    /** Clock of the processor, MHz */
    core_clock: number | null;
    /** Share of the time the processor worked; where the driver does not count, of its busiest engine for the programs this user may look into, 0-100 */
    core_load: number | null;
    /** Clock of the memory, MHz */
    memory_clock: number | null;
    /** Share of the time the memory was read or written, 0-100 */
    memory_load: number | null;
    /** Memory of its own that is free, MiB */
    memory_free: number | null;
    /** Memory of its own that is in use, MiB */
    memory_used: number | null;
    /** Memory of its own; null where it uses that of the machine, MiB */
    memory_total: number | null;
    /** Power draw, watts */
    power_usage: number | null;
    /** Temperature, degrees Celsius */
    temperature: number | null;
    /** Always null; the module sensors has the fans */
    fan_speed: null;
  }[];
  /** What the current media player plays, and what it can do */
  media: {
    /** Title of what is played */
    title: string | null;
    /** Artist */
    artist: string | null;
    /** Title of the album */
    album_title: string | null;
    /** Artist of the album */
    album_artist: string | null;
    /** Subtitle */
    subtitle: string | null;
    /** Kind of media, such as music or video */
    type: string | null;
    /** What the player does */
    status: 'PLAYING' | 'PAUSED' | 'STOPPED' | 'CHANGING' | null;
    /** Position at updated_at, seconds */
    position: number | null;
    /** Length, seconds */
    duration: number | null;
    /** Speed; 1 is normal */
    playback_rate: number | null;
    /** Volume of the player, 0-100 */
    volume: number | null;
    /** Whether titles come in random order */
    shuffle: boolean | null;
    /** What is repeated */
    repeat: 'NONE' | 'TRACK' | 'LIST' | null;
    /** Number of the track on its album */
    track_number: number | null;
    /** Whether it can play */
    is_play_enabled: boolean | null;
    /** Whether it can pause */
    is_pause_enabled: boolean | null;
    /** Whether it can stop */
    is_stop_enabled: boolean | null;
    /** Whether there is a next title */
    is_next_enabled: boolean | null;
    /** Whether there is a previous title */
    is_previous_enabled: boolean | null;
    /** Whether it can go forward */
    is_fast_forward_enabled: boolean | null;
    /** Whether it can go back */
    is_rewind_enabled: boolean | null;
    /** Artwork: a data URL of at most 64 KiB, or an http(s) address without credentials */
    thumbnail: string | null;
    /** When this was true, Unix seconds */
    updated_at: number | null;
    /** All players, the current one first */
    players: {
      /** Name of the player, as MEDIA_CONTROL takes it */
      name: string;
      /** How the player calls itself */
      identity: string;
      /** Whether the other fields tell about this player */
      is_current: boolean;
      /** What it does */
      status: 'PLAYING' | 'PAUSED' | 'STOPPED' | 'CHANGING' | null;
      /** Title of what it plays */
      title: string | null;
      /** Artist of what it plays */
      artist: string | null;
    }[];
  };
  /** Physical memory and swap space */
  memory: {
    /** Physical memory */
    virtual: {
      /** Physical memory, bytes */
      total: number | null;
      /** What programs can still get without swapping, bytes */
      available: number | null;
      /** Share that is not available, 0-100 */
      percent: number | null;
      /** Total less available, bytes */
      used: number | null;
      /** Used by nothing at all, not even as a cache, bytes */
      free: number | null;
      /** Used recently, bytes */
      active: number | null;
      /** Not used recently, bytes */
      inactive: number | null;
      /** Cache of raw block devices, bytes */
      buffers: number | null;
      /** Cache of files; reclaimable kernel memory and the ZFS cache count as well, bytes */
      cached: number | null;
      /** Never leaves memory; macOS only, bytes */
      wired: number | null;
      /** Shared memory and temporary file systems, bytes */
      shared: number | null;
    };
    /** Swap space */
    swap: {
      /** Swap space, bytes */
      total: number | null;
      /** Swap space in use, bytes */
      used: number | null;
      /** Swap space not in use, bytes */
      free: number | null;
      /** Share of the swap space in use, 0-100 */
      percent: number | null;
      /** Read back from swap since boot, bytes */
      sin: number | null;
      /** Written to swap since boot, bytes */
      sout: number | null;
    };
  };
  /** Network interfaces with their addresses and traffic, and the connections of all processes */
  networks: {
    /** Network interfaces */
    networks: {
      /** Name of the interface */
      name: string;
      /** Its addresses: IPv4, IPv6 and MAC */
      addresses: {
        /** The address; a link-local one of IPv6 names its interface, as fe80::1%eth0 */
        address: string;
        /** Kind of address */
        family: 'IPv4' | 'IPv6' | 'MAC';
        /** Mask of the network, as 255.255.255.0 or ffff:ffff:ffff:ffff:: */
        netmask: string | null;
        /** Address that all on this network hear */
        broadcast: string | null;
        /** Address of the other end of a point-to-point connection */
        ptp: string | null;
      }[];
      /** State of the interface */
      stats: {
        /** Whether it is up and has a connection */
        isup: boolean | null;
        /** "full" or "half"; empty when unknown */
        duplex: string;
        /** Speed of the connection, Mbit/s */
        speed: number | null;
        /** Longest packet, bytes */
        mtu: number | null;
        /** Its flags, such as up, broadcast, running, multicast */
        flags: string[];
      };
    }[];
    /** TCP and UDP sockets */
    connections: {
      /** Descriptor by which the process holds the socket */
      fd: number | null;
      /** Number of the address family: 2 is IPv4, 10 is IPv6 */
      family: number;
      /** Number of the socket type: 1 is a stream (TCP), 2 is for datagrams (UDP) */
      type: number;
      /** Local address:port, IPv6 addresses in brackets */
      laddr: string;
      /** Remote address:port, IPv6 addresses in brackets */
      raddr: string | null;
      /** State of a TCP connection, such as ESTABLISHED or LISTEN; NONE for UDP */
      status: string;
      /** Process that holds the socket */
      pid: number | null;
    }[];
    /** Traffic of all interfaces together, loopback included */
    io: {
      /** Bytes sent since the interfaces came up */
      bytes_sent: number;
      /** Bytes received since the interfaces came up */
      bytes_recv: number;
      /** Packets sent since the interfaces came up */
      packets_sent: number;
      /** Packets received since the interfaces came up */
      packets_recv: number;
      /** Errors while receiving since the interfaces came up */
      errin: number;
      /** Errors while sending since the interfaces came up */
      errout: number;
      /** Incoming packets that were dropped since the interfaces came up */
      dropin: number;
      /** Outgoing packets that were dropped since the interfaces came up */
      dropout: number;
    } | null;
  };
  /** What is running: every process with its program, user, CPU and memory usage */
  processes: {
    /** Process ID */
    id: number;
    /** Process name */
    name: string;
    /** CPU time used since the last reading, percent; 100 is one core */
    cpu_usage: number;
    /** Share of the physical memory that is resident, 0-100 */
    memory_usage: number | null;
    /** When the process was started, Unix seconds */
    created: number | null;
    /** Program file */
    path: string | null;
    /** What the process is doing: running, sleeping, disk-sleep, stopped, tracing-stop, zombie, dead, wake-kill, waking, idle, parked or unknown */
    status: string;
    /** Owning user: the name, or the number where it has none */
    username: string | null;
    /** Working directory */
    working_directory: string | null;
  }[];
  /** Temperatures and fans of the whole machine */
  sensors: {
    /** Every temperature that can be read now */
    temperatures: {
      /** Chip, device and sensor, such as nvme_0000:01:00.0_composite; the same after every start */
      key: string;
      /** Temperature now, °C */
      temperature: number;
      /** Above this it is too warm, °C; 0: unknown */
      high: number;
      /** Above this it takes damage or switches off, °C; 0: unknown */
      critical: number;
    }[];
    /** Every fan and pump that tells its speed */
    fans: {
      /** Chip, device and fan; the same after every start */
      key: string;
      /** Chip or controller the fan is connected to */
      name: string;
      /** What the board or the controller calls the fan; empty when unknown */
      label: string;
      /** Speed now, revolutions a minute */
      speed_rpm: number | null;
      /** Below this the fan counts as failed, revolutions a minute */
      speed_min: number | null;
      /** Highest speed, revolutions a minute */
      speed_max: number | null;
    }[];
    /** Tree of hardware and sensors; Windows only */
    windows_sensors: {
      /** Hardware with its sensors */
      hardware: unknown[];
      /** What the driver of NVIDIA says */
      nvidia: unknown;
    } | null;
  };
  /** The machine itself: names, addresses, users, versions, power draw and what uses camera and microphone */
  system: {
    /** Machine hostname */
    hostname: string | null;
    /** Fully qualified domain name, or the hostname where none is configured */
    fqdn: string | null;
    /** Operating system, such as "Debian GNU/Linux" */
    platform: string | null;
    /** Version of the operating system; empty when unknown */
    platform_version: string;
    /** Kernel release */
    kernel_version: string | null;
    /** When the machine started, Unix seconds */
    boot_time: number | null;
    /** Time since the machine started, seconds */
    uptime: number | null;
    /** IPv4 address of the interface with the default route; empty when unknown */
    ip_address_4: string;
    /** IPv6 address of the interface with the default route; empty when unknown */
    ip_address_6: string;
    /** Hardware address of the interface with the default route, as aa:bb:cc:dd:ee:ff; empty when unknown */
    mac_address: string;
    /** Stable identifier of the machine */
    uuid: string | null;
    /** Logged-in users, one entry a session */
    users: {
      /** Login name */
      name: string;
      /** Whether the session is in the foreground */
      active: boolean;
      /** Terminal or display of the session; empty when unknown */
      terminal: string;
      /** Where the user came from; empty for a local session as well; empty when unknown */
      host: string;
      /** Time of the login, Unix seconds; 0 when unknown */
      started: number;
      /** Process that leads the session; 0 when unknown */
      pid: number;
    }[];
    /** Installed version of this service */
    version: string | null;
    /** Latest available version of this service */
    version_latest: string | null;
    /** Web page of the latest release */
    version_latest_url: string | null;
    /** Whether the latest version is newer than the installed one */
    version_newer_available: boolean | null;
    /** Programs using a camera; Linux only */
    camera_usage: string[];
    /** Programs recording from a microphone; Linux only */
    microphone_usage: string[];
    /** Whether a restart would complete an update; Linux only */
    pending_reboot: boolean | null;
    /** Power draw of the whole machine, watts; Linux only */
    power_usage: number | null;
    /** How the service is running */
    run_mode: 'standalone';
    /** What the machine is */
    device_info: {
      /** Who made the machine */
      manufacturer: string | null;
      /** Model of the machine */
      model: string | null;
      /** Version or marketing name of the model */
      version: string | null;
      /** Who made the main board */
      board_vendor: string | null;
      /** Model of the main board */
      board_name: string | null;
      /** Who made the firmware */
      bios_vendor: string | null;
      /** Version of the firmware */
      bios_version: string | null;
      /** Kind of case, such as "Laptop" */
      chassis_type: string | null;
    };
  };
}

/** What each event takes, and what its answer holds. */
export interface Requests {
  /** Ends the service */
  EXIT_APPLICATION: {
    data: object;
    result: null;
  };
  /** Sets volume and mute of outputs, inputs and programs, and which of them are used */
  AUDIO_CONTROL: {
    data: {
      /** VOLUME (value: 0-150), VOLUME_UP, VOLUME_DOWN (value: percent, 5 unless given), MUTE (value: boolean; toggles without one), DEFAULT (makes device the one that programs use) or MOVE (lets stream use device) */
      action: string;
      /** What the action takes; see there */
      value?: number | boolean | null | undefined;
      /** Output or input by its id, as the module audio lists them; the default output unless given */
      device?: string | null | undefined;
      /** source, recording: an input is meant, or a stream that records; output and playback unless given */
      kind?: 'sink' | 'source' | 'playback' | 'recording' | null | undefined;
      /** Stream of a program by its id, as the module audio lists them, instead of a device */
      stream?: number | null | undefined;
    };
    result: {
      /** What was done */
      action: string;
      /** Id of the output or input that it was done to, or that the stream uses */
      device: string;
      /** Id of the stream that it was done to; null: to the device */
      stream: number | null;
      /** Volume from now on, percent; null: it has none */
      volume: number | null;
      /** Whether it is silent from now on */
      is_muted: boolean;
    };
  };
  /** Mutes, deafens, joins and leaves calls and changes voice settings in the voice-chat application */
  CHAT_CONTROL: {
    data: {
      /** What to do */
      action: 'JOIN_VOICE_CHANNEL' | 'LEAVE_VOICE_CHANNEL' | 'OPEN_TEXT_CHANNEL' | 'MUTE' | 'UNMUTE' | 'TOGGLE_MUTE' | 'DEAFEN' | 'UNDEAFEN' | 'TOGGLE_DEAFEN' | 'SET_INPUT_VOLUME' | 'SET_OUTPUT_VOLUME' | 'SET_INPUT_DEVICE' | 'SET_OUTPUT_DEVICE' | 'SET_VOICE_MODE' | 'SET_VOICE_THRESHOLD' | 'SET_PUSH_TO_TALK_DELAY' | 'ENABLE_QOS' | 'DISABLE_QOS' | 'TOGGLE_QOS' | 'ENABLE_SILENCE_WARNING' | 'DISABLE_SILENCE_WARNING' | 'TOGGLE_SILENCE_WARNING' | 'SET_USER_VOLUME' | 'MUTE_USER' | 'UNMUTE_USER';
      /** For JOIN_VOICE_CHANNEL and OPEN_TEXT_CHANNEL */
      channel_id?: string | null | undefined;
      /** Input volume 0-100; output and user volume 0-200; threshold -100 to 0 dB; delay 0-2000 ms */
      value?: number | null | undefined;
      /** A device that the module chat lists */
      device_id?: string | null | undefined;
      /** VOICE_ACTIVITY or PUSH_TO_TALK */
      mode?: string | null | undefined;
      /** For SET_USER_VOLUME, MUTE_USER and UNMUTE_USER */
      user_id?: string | null | undefined;
    };
    result: {
      /** What was done */
      action: string;
      /** Whether the user is muted now */
      mute: boolean;
      /** Whether the user is deafened now */
      deaf: boolean;
      /** The voice channel the user is in now; null: none */
      channel_id: string | null;
    };
  };
  /** Runs a program that the settings allow, and tells what it wrote */
  COMMAND_EXECUTE: {
    data: {
      /** Id of an entry in commands.allowlist of the settings */
      commandID: string;
      /** Send what it writes while it runs, as COMMAND_OUTPUT messages */
      stream?: boolean | null | undefined;
    };
    result: {
      commandID: string;
      /** Exit code of the program; -1 when it was ended, or could not be started */
      exitCode: number;
      /** The first MiB of what it wrote */
      stdout: string;
      /** The first MiB of what it wrote as errors */
      stderr: string;
      /** Why there is no exit code */
      error?: string | undefined;
    };
  };
  /** Opens an address, or a file of a known directory, with the program that the user prefers for it */
  OPEN: {
    data: {
      /** File or directory to open, inside a known directory; absolute, or with ~/ for the home */
      path?: string | null | undefined;
      /** Address to open: http, https, or mailto without attachments */
      url?: string | null | undefined;
    };
    result: {
      /** What was opened, if it was a path */
      path: string | null;
      /** What was opened, if it was an address */
      url: string | null;
    };
  };
  /** Lists what is mounted, also what the module disks leaves out */
  GET_DISK_MOUNTS: {
    data: object;
    result: {
      /** Those that the module disks always has */
      primary: {
        /** Device, server or pool that is mounted */
        device: string;
        /** Where it is mounted */
        mount_point: string;
        /** Type of the file system, such as ext4 */
        filesystem_type: string;
        category: 'primary' | 'bind' | 'squashfs';
        /** How full it is, in bytes and percent; null when it does not tell */
        usage: {
          total: number;
          used: number;
          free: number;
          percent: number;
        } | null;
      }[];
      /** Those it has only if disks.allowedSecondaryMountPoints names them; here all of them */
      secondary: {
        bind: {
          /** Device, server or pool that is mounted */
          device: string;
          /** Where it is mounted */
          mount_point: string;
          /** Type of the file system, such as ext4 */
          filesystem_type: string;
          category: 'primary' | 'bind' | 'squashfs';
          /** How full it is, in bytes and percent; null when it does not tell */
          usage: {
            total: number;
            used: number;
            free: number;
            percent: number;
          } | null;
        }[];
        squashfs: {
          /** Device, server or pool that is mounted */
          device: string;
          /** Where it is mounted */
          mount_point: string;
          /** Type of the file system, such as ext4 */
          filesystem_type: string;
          category: 'primary' | 'bind' | 'squashfs';
          /** How full it is, in bytes and percent; null when it does not tell */
          usage: {
            total: number;
            used: number;
            free: number;
            percent: number;
          } | null;
        }[];
      };
    };
  };
  /** Lists the directories whose files can be had */
  GET_DIRECTORIES: {
    data: object;
    result: {
      /** What other requests call it */
      key: string;
      /** What people call it */
      name: string;
      /** Where it is */
      path: string;
    }[];
  };
  /** Says where a base directory is */
  GET_DIRECTORY: {
    data: {
      /** Key of a base directory, such as music; files.directories lists them */
      base: string;
    };
    result: {
      /** What other requests call it */
      key: string;
      /** What people call it */
      name: string;
      /** Where it is */
      path: string;
    };
  };
  /** Lists what is in a directory */
  GET_FILES: {
    data: {
      /** Key of a base directory, such as music; files.directories lists them */
      base: string;
      /** Directory inside the base; the base itself unless given */
      path?: string | null | undefined;
    };
    result: {
      name: string;
      /** Absolute, below the path of the base */
      path: string;
      /** Bytes */
      size: number;
      isDirectory: boolean;
      /** Last change of its content, RFC 3339 in UTC */
      modTime: string;
      /** As ls -l shows them, such as -rw-r--r-- */
      permissions: string;
      /** Media type by the extension; absent when none is known */
      contentType?: string | undefined;
      /** With its dot, as it is written; absent when there is none */
      extension?: string | undefined;
    }[];
  };
  /** Says what a file is */
  GET_FILE: {
    data: {
      /** Key of the base directory; not needed with an absolute path inside any of them */
      base?: string | null | undefined;
      /** File inside the base */
      path: string;
    };
    result: {
      name: string;
      /** Absolute, below the path of the base */
      path: string;
      /** Bytes */
      size: number;
      isDirectory: boolean;
      /** Last change of its content, RFC 3339 in UTC */
      modTime: string;
      /** As ls -l shows them, such as -rw-r--r-- */
      permissions: string;
      /** Media type by the extension; absent when none is known */
      contentType?: string | undefined;
      /** With its dot, as it is written; absent when there is none */
      extension?: string | undefined;
      /** Last change of its content, Unix milliseconds */
      modified: number;
      /** Media type by the extension; null when none is known */
      mime_type: string | null;
    };
  };
  /** Says whether a path is a directory, wherever on the machine */
  VALIDATE_DIRECTORY: {
    data: {
      /** Absolute, or relative to the home of the user, with or without ~/ */
      path: string;
    };
    result: {
      /** Whether it is a directory the service can see */
      valid: boolean;
    };
  };
  /** Presses a key, with others held, and releases all of them */
  KEYBOARD_KEYPRESS: {
    data: {
      /** A character, or a name: backspace, delete, enter, tab, escape, up, down, left, right, home, end, pageup, pagedown, f1-f24, command, alt, control, shift, right_shift, space, printscreen, insert, menu, audio_mute, audio_vol_down, audio_vol_up, audio_play, audio_stop, audio_pause, audio_prev, audio_next, audio_rewind, audio_forward, audio_repeat, audio_random, numpad_0-numpad_9, numpad_lock, numpad_+ (and -, *, /, ., enter), lights_mon_up, lights_mon_down, lights_kbd_toggle, lights_kbd_up, lights_kbd_down */
      key: string;
      /** Keys that are held meanwhile: control, shift, alt, command, right_shift … */
      modifiers?: string[] | null | undefined;
      /** Milliseconds that the key is held; 0 unless given */
      delay?: number | null | undefined;
    };
    result: {
      /** What was pressed */
      key: string;
      /** What was held meanwhile */
      modifiers: string[];
    };
  };
  /** Types a text into whatever has the focus */
  KEYBOARD_TEXT: {
    data: {
      /** What is typed; any Unicode, with Enter for line ends and Tab for tabulators */
      text: string;
      /** Milliseconds between two characters; 0 unless given. All delays together are 60 seconds at most */
      delay?: number | null | undefined;
    };
    result: {
      /** How many characters were typed */
      characters: number;
    };
  };
  /** Stops everything that is being typed or waits to be typed, whoever asked for it */
  KEYBOARD_CANCEL: {
    data: object;
    result: {
      /** How many keys and texts were being typed or waited for their turn */
      cancelled: number;
    };
  };
  /** Plays, pauses, skips, seeks, and sets volume, shuffle and repeat of a media player */
  MEDIA_CONTROL: {
    data: {
      /** PLAY, PAUSE, PLAY_PAUSE, STOP, NEXT, PREVIOUS, SEEK (value: seconds from here, negative goes back), POSITION (value: seconds from the beginning), REWIND, FASTFORWARD (value: seconds, 10 unless given), VOLUME (value: 0-100), VOLUME_UP, VOLUME_DOWN (value: percent, 5 unless given), MUTE (toggles, and restores the level), SHUFFLE (value: boolean) or REPEAT (value: 0 off, 1 one title, 2 all) */
      action: string;
      /** What the action takes; see there */
      value?: number | boolean | string | null | undefined;
      /** Name of a player, as the module media lists them; the current one unless given */
      player?: string | null | undefined;
    };
    result: {
      /** What was done */
      action: string;
      /** Name of the player that did it; null: the sound of the machine was changed */
      player: string | null;
      /** Volume from now on, 0-100; null where the action is about something else */
      volume: number | null;
    };
  };
  /** Shows a notification on the desktop, and tells which of its buttons was pressed */
  NOTIFICATION: {
    data: {
      /** First line of the notification */
      title: string;
      /** Text below the title; plain, whatever it looks like */
      message?: string | null | undefined;
      /** Name in the icon theme, data URL of a picture, or a path in a known directory */
      icon?: string | null | undefined;
      /** Larger picture; name, data URL or path as for the icon */
      image?: string | null | undefined;
      /** How much it may disturb; critical ones stay until somebody closes them */
      urgency?: 'low' | 'normal' | 'critical' | null | undefined;
      /** Buttons; a pressed one comes back as NOTIFICATION_ACTION to the connection that sent this */
      actions?: {
        /** What comes back when the button is pressed */
        command: string;
        /** What stands on the button */
        label: string;
        /** Comes back with the command */
        data?: unknown | undefined;
      }[] | null | undefined;
      /** Milliseconds on the screen; 0: until somebody closes it; otherwise as the desktop likes */
      timeout?: number | null | undefined;
      /** The same as timeout */
      duration?: number | null | undefined;
      /** Name in the sound theme, data URL of a sound, or a path in a known directory */
      sound?: string | null | undefined;
      /** A sound with a volume of its own; counts more than sound */
      audio?: {
        /** As sound */
        source: string;
        /** 0-100; 100 unless given */
        volume?: number | null | undefined;
      } | null | undefined;
      /** Address that a click opens: http, https or mailto */
      actionUrl?: string | null | undefined;
      /** Path in a known directory that a click opens */
      actionPath?: string | null | undefined;
      /** Id of an earlier notification of the same token, whose place it takes */
      replaces?: number | null | undefined;
      /** Seconds to wait for a button before this is answered; 0 unless given */
      wait?: number | null | undefined;
    };
    result: {
      /** Number of the notification, to replace or close it */
      id: number;
      /** Only where it was waited for: the command of the pressed button, `default` for a click, null for none */
      pressed?: string | null | undefined;
    };
  };
  /** Takes a notification that was sent with the same token off the screen */
  NOTIFICATION_CLOSE: {
    data: {
      /** Number of a notification that was sent with the same token */
      id: number;
    };
    result: {
      /** Number of the notification */
      id: number;
    };
  };
  /** Sends the machine to sleep */
  POWER_SLEEP: {
    data: {
      /** Seconds to wait before it happens; 0 unless given */
      delay?: number | null | undefined;
      /** Do it although a program asks not to (a block inhibitor) */
      force?: boolean | null | undefined;
    };
    result: {
      /** What was ordered */
      action: string;
      /** When it happens or happened, ISO 8601 in UTC */
      at: string;
    };
  };
  /** Hibernates the machine */
  POWER_HIBERNATE: {
    data: {
      /** Seconds to wait before it happens; 0 unless given */
      delay?: number | null | undefined;
      /** Do it although a program asks not to (a block inhibitor) */
      force?: boolean | null | undefined;
    };
    result: {
      /** What was ordered */
      action: string;
      /** When it happens or happened, ISO 8601 in UTC */
      at: string;
    };
  };
  /** Restarts the machine */
  POWER_RESTART: {
    data: {
      /** Seconds to wait before it happens; 0 unless given */
      delay?: number | null | undefined;
      /** Do it although a program asks not to (a block inhibitor) */
      force?: boolean | null | undefined;
    };
    result: {
      /** What was ordered */
      action: string;
      /** When it happens or happened, ISO 8601 in UTC */
      at: string;
    };
  };
  /** Shuts the machine down */
  POWER_SHUTDOWN: {
    data: {
      /** Seconds to wait before it happens; 0 unless given */
      delay?: number | null | undefined;
      /** Do it although a program asks not to (a block inhibitor) */
      force?: boolean | null | undefined;
    };
    result: {
      /** What was ordered */
      action: string;
      /** When it happens or happened, ISO 8601 in UTC */
      at: string;
    };
  };
  /** Locks the session of the user */
  POWER_LOCK: {
    data: {
      /** Seconds to wait before it happens; 0 unless given */
      delay?: number | null | undefined;
      /** Do it although a program asks not to (a block inhibitor) */
      force?: boolean | null | undefined;
    };
    result: {
      /** What was ordered */
      action: string;
      /** When it happens or happened, ISO 8601 in UTC */
      at: string;
    };
  };
  /** Logs the user out */
  POWER_LOGOUT: {
    data: {
      /** Seconds to wait before it happens; 0 unless given */
      delay?: number | null | undefined;
      /** Do it although a program asks not to (a block inhibitor) */
      force?: boolean | null | undefined;
    };
    result: {
      /** What was ordered */
      action: string;
      /** When it happens or happened, ISO 8601 in UTC */
      at: string;
    };
  };
  /** Cancels a power order that is still waiting */
  POWER_CANCEL: {
    data: object;
    result: {
      /** What was ordered */
      action: string;
      /** When it happens or happened, ISO 8601 in UTC */
      at: string;
    };
  };
  /** Tells the settings, all of them */
  GET_SETTINGS: {
    data: object;
    result: {
      /** Kept for clients that show it; what starts the service is its unit */
      autostart: boolean;
      /** Kept for clients that show it; this version has no icon */
      systemTray: boolean;
      /** Named keyboard shortcuts, kept for clients; {name, key} each */
      hotkeys: {
        name: string;
        key: string;
      }[];
      /** How much the log says */
      logLevel: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';
      commands: {
        /** The only programs that can be started: {id, name, command, workingDir, arguments} each, the command with its whole path */
        allowlist: {
          id: string;
          name: string;
          command: string;
          workingDir: string;
          arguments: string[];
        }[];
      };
      disks: {
        /** Bind and squashfs mounts to list as well */
        allowedSecondaryMountPoints: string[];
      };
      media: {
        /** Further directories whose files are served: {name, path} each */
        directories: {
          name: string;
          path: string;
        }[];
      };
      files: {
        /** Serve hidden files and directories too, those whose names begin with a dot; the files of Hostler itself are never served */
        hidden: boolean;
      };
      /** Per module: how often listeners get updates */
      modules: Record<string, {
        /** Milliseconds between updates */
        interval: number;
      }>;
      server: {
        /** Address to listen on; empty: every address of the machine */
        host: string;
        /** Port to listen on */
        port: number;
      };
      security: {
        /** Further names this service is reached by, for the Host header */
        allowedHosts: string[];
        /** Web pages of other servers that may use this service, as scheme://host:port */
        allowedOrigins: string[];
        /** Let administrators change protected settings from elsewhere; set in the file or by the CLI only */
        remoteAdmin: boolean;
      };
      mcp: {
        /** What agents are offered: reading; acting as well; also what is offered on request only */
        mode: 'read_only' | 'standard' | 'full';
        /** Let agents come from other machines; otherwise from this one only */
        allowRemote: boolean;
        /** Tools that are offered on request only, such as type_text or open_url */
        tools: string[];
        /** Ids of the commands that agents may run, after the user agreed */
        commands: string[];
        /** Believe the agent's own program when it says that the user agreed, also where there is no desktop. An agent could then approve its own calls; set in the file or by the CLI only */
        trustClientConfirmation: boolean;
      };
      discovery: {
        /** Let the service be found on the network (mDNS); never when it listens on loopback only */
        enabled: boolean;
        /** Announce no more than where the service is: no name of the machine, no MAC address, no UUID, no version. Home Assistant then needs the address typed in */
        quiet: boolean;
      };
      metrics: {
        /** Answer /metrics, for Prometheus and the like; with a token as everything else */
        enabled: boolean;
      };
      chat: {
        /** Where the chat's tokens come from; empty: the makers of the application */
        oauthUrl: '' | string;
      };
      releases: {
        /** Where the latest release is announced; empty: no check */
        url: '' | string;
      };
    };
  };
  /** Changes settings; what is not sent stays as it is */
  UPDATE_SETTINGS: {
    data: Record<string, unknown>;
    result: {
      /** Kept for clients that show it; what starts the service is its unit */
      autostart: boolean;
      /** Kept for clients that show it; this version has no icon */
      systemTray: boolean;
      /** Named keyboard shortcuts, kept for clients; {name, key} each */
      hotkeys: {
        name: string;
        key: string;
      }[];
      /** How much the log says */
      logLevel: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';
      commands: {
        /** The only programs that can be started: {id, name, command, workingDir, arguments} each, the command with its whole path */
        allowlist: {
          id: string;
          name: string;
          command: string;
          workingDir: string;
          arguments: string[];
        }[];
      };
      disks: {
        /** Bind and squashfs mounts to list as well */
        allowedSecondaryMountPoints: string[];
      };
      media: {
        /** Further directories whose files are served: {name, path} each */
        directories: {
          name: string;
          path: string;
        }[];
      };
      files: {
        /** Serve hidden files and directories too, those whose names begin with a dot; the files of Hostler itself are never served */
        hidden: boolean;
      };
      /** Per module: how often listeners get updates */
      modules: Record<string, {
        /** Milliseconds between updates */
        interval: number;
      }>;
      server: {
        /** Address to listen on; empty: every address of the machine */
        host: string;
        /** Port to listen on */
        port: number;
      };
      security: {
        /** Further names this service is reached by, for the Host header */
        allowedHosts: string[];
        /** Web pages of other servers that may use this service, as scheme://host:port */
        allowedOrigins: string[];
        /** Let administrators change protected settings from elsewhere; set in the file or by the CLI only */
        remoteAdmin: boolean;
      };
      mcp: {
        /** What agents are offered: reading; acting as well; also what is offered on request only */
        mode: 'read_only' | 'standard' | 'full';
        /** Let agents come from other machines; otherwise from this one only */
        allowRemote: boolean;
        /** Tools that are offered on request only, such as type_text or open_url */
        tools: string[];
        /** Ids of the commands that agents may run, after the user agreed */
        commands: string[];
        /** Believe the agent's own program when it says that the user agreed, also where there is no desktop. An agent could then approve its own calls; set in the file or by the CLI only */
        trustClientConfirmation: boolean;
      };
      discovery: {
        /** Let the service be found on the network (mDNS); never when it listens on loopback only */
        enabled: boolean;
        /** Announce no more than where the service is: no name of the machine, no MAC address, no UUID, no version. Home Assistant then needs the address typed in */
        quiet: boolean;
      };
      metrics: {
        /** Answer /metrics, for Prometheus and the like; with a token as everything else */
        enabled: boolean;
      };
      chat: {
        /** Where the chat's tokens come from; empty: the makers of the application */
        oauthUrl: '' | string;
      };
      releases: {
        /** Where the latest release is announced; empty: no check */
        url: '' | string;
      };
    };
  };
}

/** Type of the message that answers each event; everything else under the same id is told besides. */
export const actionReplies = {
  EXIT_APPLICATION: 'APPLICATION_EXITING',
  AUDIO_CONTROL: 'AUDIO_CONTROLLED',
  CHAT_CONTROL: 'CHAT_CONTROLLED',
  DISCORD_CONTROL: 'DISCORD_CONTROLLED',
  COMMAND_EXECUTE: 'COMMAND_COMPLETED',
  OPEN: 'OPENED',
  GET_DISK_MOUNTS: 'DISK_MOUNTS',
  GET_DIRECTORIES: 'DIRECTORIES',
  GET_DIRECTORY: 'DIRECTORY',
  GET_FILES: 'FILES',
  GET_FILE: 'FILE',
  VALIDATE_DIRECTORY: 'DIRECTORY_VALIDATED',
  KEYBOARD_KEYPRESS: 'KEYBOARD_KEY_PRESSED',
  KEYBOARD_TEXT: 'KEYBOARD_TEXT_SENT',
  KEYBOARD_CANCEL: 'KEYBOARD_CANCELLED',
  MEDIA_CONTROL: 'MEDIA_CONTROLLED',
  NOTIFICATION: 'NOTIFICATION_SENT',
  NOTIFICATION_CLOSE: 'NOTIFICATION_CLOSED',
  POWER_SLEEP: 'POWER_SLEEPING',
  POWER_HIBERNATE: 'POWER_HIBERNATING',
  POWER_RESTART: 'POWER_RESTARTING',
  POWER_SHUTDOWN: 'POWER_SHUTTINGDOWN',
  POWER_LOCK: 'POWER_LOCKING',
  POWER_LOGOUT: 'POWER_LOGGINGOUT',
  POWER_CANCEL: 'POWER_CANCELLED',
  GET_SETTINGS: 'SETTINGS_RESULT',
  UPDATE_SETTINGS: 'SETTINGS_UPDATED',
} as const;
