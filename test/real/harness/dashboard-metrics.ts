/**
 * The metrics that the Grafana dashboard "Node Exporter Full" (number 1860) and the public alert rules of node_exporter (its node-mixin) use.
 * Names only, not copied from the file of the dashboard: what its panels are known to show. Metrics of collectors
 * that are off by default are not among them.
 */
const memory =
  'Active Active_anon Active_file AnonHugePages AnonPages Bounce Buffers Cached CommitLimit Committed_AS DirectMap1G DirectMap2M DirectMap4k Dirty Hugepagesize Inactive Inactive_anon Inactive_file KernelStack Mapped MemAvailable MemFree MemTotal Mlocked NFS_Unstable PageTables Percpu SReclaimable SUnreclaim Shmem ShmemHugePages ShmemPmdMapped Slab SwapCached SwapFree SwapTotal Unevictable VmallocChunk VmallocTotal VmallocUsed Writeback WritebackTmp';
const families: Record<string, string> = {
  node: 'arp_entries boot_time_seconds context_switches_total forks_total intr_total load1 load5 load15 procs_blocked procs_running textfile_scrape_error time_seconds udp_queues uname_info',
  node_bonding: 'active slaves',
  node_cooling_device: 'cur_state max_state',
  node_cpu:
    'guest_seconds_total scaling_frequency_hertz scaling_frequency_max_hertz scaling_frequency_min_hertz seconds_total',
  node_disk:
    'discard_time_seconds_total discarded_sectors_total discards_completed_total discards_merged_total flush_requests_time_seconds_total flush_requests_total io_now io_time_seconds_total io_time_weighted_seconds_total read_bytes_total read_time_seconds_total reads_completed_total reads_merged_total write_time_seconds_total writes_completed_total writes_merged_total written_bytes_total',
  node_entropy: 'available_bits pool_size_bits',
  node_filefd: 'allocated maximum',
  node_filesystem: 'avail_bytes device_error files files_free free_bytes readonly size_bytes',
  node_hwmon:
    'chip_names temp_celsius temp_crit_alarm_celsius temp_crit_celsius temp_crit_hyst_celsius temp_max_celsius fan_rpm sensor_label',
  node_md: 'disks disks_required',
  node_memory: `${memory
    .split(' ')
    .map((name) => `${name}_bytes`)
    .join(' ')} HugePages_Free HugePages_Rsvd HugePages_Surp HugePages_Total`,
  node_netstat:
    'Icmp6_InErrors Icmp6_InMsgs Icmp6_OutMsgs Icmp_InErrors Icmp_InMsgs Icmp_OutMsgs Ip6_InOctets Ip6_OutOctets IpExt_InOctets IpExt_OutOctets Ip_Forwarding TcpExt_ListenDrops TcpExt_ListenOverflows TcpExt_SyncookiesFailed TcpExt_SyncookiesRecv TcpExt_SyncookiesSent TcpExt_TCPOFOQueue TcpExt_TCPRcvQDrop TcpExt_TCPSynRetrans TcpExt_TCPTimeouts Tcp_ActiveOpens Tcp_CurrEstab Tcp_InErrs Tcp_InSegs Tcp_OutRsts Tcp_OutSegs Tcp_PassiveOpens Tcp_RetransSegs Udp6_InDatagrams Udp6_InErrors Udp6_NoPorts Udp6_OutDatagrams Udp6_RcvbufErrors Udp6_SndbufErrors UdpLite_InErrors Udp_InDatagrams Udp_InErrors Udp_NoPorts Udp_OutDatagrams Udp_RcvbufErrors Udp_SndbufErrors',
  node_network:
    'carrier info mtu_bytes receive_bytes_total receive_compressed_total receive_drop_total receive_errs_total receive_fifo_total receive_frame_total receive_multicast_total receive_nohandler_total receive_packets_total speed_bytes transmit_bytes_total transmit_carrier_total transmit_colls_total transmit_compressed_total transmit_drop_total transmit_errs_total transmit_fifo_total transmit_packets_total transmit_queue_length up',
  node_nf: 'conntrack_entries conntrack_entries_limit',
  node_power_supply: 'online',
  node_pressure:
    'cpu_waiting_seconds_total io_stalled_seconds_total io_waiting_seconds_total irq_stalled_seconds_total memory_stalled_seconds_total memory_waiting_seconds_total',
  node_schedstat: 'running_seconds_total timeslices_total waiting_seconds_total',
  node_scrape: 'collector_duration_seconds collector_success',
  node_sockstat:
    'FRAG_inuse FRAG_memory RAW_inuse TCP_alloc TCP_inuse TCP_mem TCP_mem_bytes TCP_orphan TCP_tw UDPLITE_inuse UDP_inuse UDP_mem UDP_mem_bytes sockets_used',
  node_softnet: 'dropped_total processed_total times_squeezed_total',
  node_timex:
    'estimated_error_seconds frequency_adjustment_ratio loop_time_constant maxerror_seconds offset_seconds sync_status tai_offset_seconds tick_seconds',
  node_vmstat: 'oom_kill pgfault pgmajfault pgpgin pgpgout pswpin pswpout',
  process:
    'cpu_seconds_total max_fds open_fds resident_memory_bytes start_time_seconds virtual_memory_bytes virtual_memory_max_bytes',
};

export const dashboardMetrics: ReadonlySet<string> = new Set(
  Object.entries(families).flatMap(([family, names]) => names.split(' ').map((name) => `${family}_${name}`)),
);
