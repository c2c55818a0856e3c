import { readdir, statfs } from 'node:fs/promises'
import type { Deps } from '../deps.ts'
import { descriptorLimit } from '../descriptor-limit.ts'
import { VERSION } from '../version.ts'
import type { Metric } from './prometheus-text.ts'

/**
 * Measures the process and the disk of its data folder. The names of process metrics are those of Prometheus' own client
 * libraries (https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics).
 */
export function createProcessMetrics({ clock, config }: Deps): () => Promise<Metric[]> {
  const startedAt = clock.now()
  return async () => {
    const { user, system } = process.cpuUsage()
    const disk = await statfs(config.dataFolder)
    return [
      {
        name: 'bellhop_build_info',
        help: 'The running version of Bellhop.',
        type: 'gauge',
        values: [{ labels: { version: VERSION }, value: 1 }],
      },
      gauge(
        'process_start_time_seconds',
        'Start time of the process in seconds since 1970.',
        startedAt / 1000,
      ),
      gauge('process_resident_memory_bytes', 'Resident memory size.', process.memoryUsage.rss()),
      {
        name: 'process_cpu_seconds_total',
        help: 'Total CPU time used.',
        type: 'counter',
        values: [{ value: (user + system) / 1e6 }],
      },
      ...(await descriptorMetrics()),
      gauge(
        'bellhop_disk_free_bytes',
        'Space that is left on the disk of the data folder.',
        disk.bavail * disk.bsize,
      ),
      gauge('bellhop_disk_size_bytes', 'Size of the disk of the data folder.', disk.blocks * disk.bsize),
    ]
  }
}

/** Only Linux shows them. */
async function descriptorMetrics(): Promise<Metric[]> {
  const limit = descriptorLimit()
  if (limit === undefined) return []
  // One of them is for reading the folder.
  const open = (await readdir('/proc/self/fd')).length - 1
  return [
    gauge('process_open_fds', 'Number of open file descriptors.', open),
    gauge('process_max_fds', 'Maximum number of open file descriptors.', limit),
  ]
}

function gauge(name: string, help: string, value: number): Metric {
  return { name, help, type: 'gauge', values: [{ value }] }
}
