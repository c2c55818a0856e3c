import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { readdir, statfs } from 'node:fs/promises'
import type { Deps } from '../deps.ts'
import { descriptorLimit } from '../machine/descriptor-limit.ts'
import { VERSION } from '../version.ts'
import { byLabel, counter, gauge, type Metric } from './prometheus-text.ts'

/**
 * Measures the process and the disk of its data folder. The names of process metrics are those of Prometheus' own client
 * libraries (https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics).
 */
export function createProcessMetrics(deps: Deps): () => Promise<Metric[]> {
  const { clock, config } = deps
  const startedAt = clock.now()
  return async () => {
    const { user, system } = process.cpuUsage()
    const disk = await statfs(config.dataFolder)
    return [
      byLabel('gauge', 'bellhop_build_info', 'The running version of Bellhop.', {
        label: 'version',
        counts: [[VERSION, 1]],
      }),
      gauge(
        'process_start_time_seconds',
        'Start time of the process in seconds since 1970.',
        startedAt / 1000,
      ),
      gauge('process_resident_memory_bytes', 'Resident memory size.', process.memoryUsage.rss()),
      counter('process_cpu_seconds_total', 'Total CPU time used.', (user + system) / 1e6),
      ...(await descriptorMetrics()),
      gauge(
        'bellhop_disk_free_bytes',
        'Space that is left on the disk of the data folder.',
        disk.bavail * disk.bsize,
      ),
      gauge('bellhop_disk_size_bytes', 'Size of the disk of the data folder.', disk.blocks * disk.bsize),
      ...certificateMetrics(deps),
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

/** When the certificate of built-in HTTPS ends, as its file says now. */
function certificateMetrics({ config }: Deps): Metric[] {
  if (!config.tls || !existsSync(config.tls.cert)) return []
  const endsAt = Date.parse(new X509Certificate(readFileSync(config.tls.cert)).validTo)
  const help = 'When the certificate in BELLHOP_TLS_CERT ends, in seconds since 1970.'
  return [gauge('bellhop_certificate_end_timestamp_seconds', help, endsAt / 1000)]
}
